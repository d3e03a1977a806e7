"""poll() has no clock; a thread of its own fails what is overdue.

Right: the sweeper needs no input to run, so every request ends in bounded time.
"""

import threading
import time

OPEN, DONE, FAILED = range(3)


class Service:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.status = {}
        self.began = {}
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._sweep, daemon=True).start()

    def submit(self, rid):
        with self.lock:
            self.status[rid] = OPEN
            self.began[rid] = time.monotonic()

    def _listen(self):
        while True:
            rid = self.inbox.get()
            with self.lock:
                if self.status.get(rid) == OPEN:
                    self.status[rid] = DONE

    def _sweep(self):
        while True:
            time.sleep(1)
            now = time.monotonic()
            with self.lock:
                for rid, began in list(self.began.items()):
                    if now - began > 30 and self.status.get(rid) == OPEN:
                        self.status[rid] = FAILED

    def poll(self, rid):
        with self.lock:
            return self.status.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.status.pop(rid, None)
            self.began.pop(rid, None)
