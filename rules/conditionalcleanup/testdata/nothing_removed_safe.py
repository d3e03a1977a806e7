"""A late cancel is ignored; a cancel of a known request fails it.

Right: nothing is removed beside the guard. An unknown request is one that clear() has already
taken away.
"""

import queue
import threading
import time

QUEUED, DONE, FAILED = 1, 2, 3


class Manager:
    def __init__(self):
        self.inbox = queue.Queue()
        self.lock = threading.Lock()
        self.status = {}
        self.sources = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.inbox.get()
            with self.lock:
                if message.kind == "cancel":
                    if message.rid in self.status and self.status[message.rid] != DONE:
                        self.status[message.rid] = FAILED
                elif message.kind == "done":
                    if self.status.get(message.rid) == QUEUED:
                        self.status[message.rid] = DONE


class Sender:
    def __init__(self, manager: Manager, rid, source):
        self.manager = manager
        self.rid = rid
        self.expires = time.monotonic() + 30
        with manager.lock:
            manager.status[rid] = QUEUED
            manager.sources[rid] = source

    def poll(self):
        with self.manager.lock:
            status = self.manager.status.get(self.rid, FAILED)
            if status == QUEUED and time.monotonic() > self.expires:
                self.manager.status[self.rid] = status = FAILED
            return status

    def clear(self):
        with self.manager.lock:
            self.manager.status.pop(self.rid, None)
            self.manager.sources.pop(self.rid, None)
