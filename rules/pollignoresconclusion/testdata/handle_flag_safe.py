"""A handle whose abort() sets its own flag and stops listening; the shared status stays as it is.

Right: poll() answers the flag first.
"""

import threading
import time


class Status:
    PENDING = 1
    SUCCESS = 2
    FAILED = 3


class Manager:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.status = {}
        self.awaited = set()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.inbox.get()
            with self.lock:
                if message.rid in self.awaited:
                    self.awaited.discard(message.rid)
                    self.status[message.rid] = Status.SUCCESS


class Sender:
    def __init__(self, manager: Manager, rid):
        self.manager = manager
        self.rid = rid
        self.outcome = None
        self.expires = time.monotonic() + 300
        with manager.lock:
            manager.status[rid] = Status.PENDING
            manager.awaited.add(rid)

    def poll(self):
        if self.outcome is not None:
            return self.outcome
        with self.manager.lock:
            status = self.manager.status.get(self.rid, Status.FAILED)
        if status == Status.PENDING and time.monotonic() > self.expires:
            self.outcome = status = Status.FAILED
        return status

    def abort(self):
        if self.outcome is None:
            self.outcome = Status.FAILED
        with self.manager.lock:
            self.manager.awaited.discard(self.rid)

    def clear(self):
        with self.manager.lock:
            self.manager.awaited.discard(self.rid)
            self.manager.status.pop(self.rid, None)
