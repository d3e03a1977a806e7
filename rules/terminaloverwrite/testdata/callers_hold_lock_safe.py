"""A helper that moves a request on without a lock of its own, and tests before it does.

Right: each of its callers holds the lock, so test and store cannot be separated by the
listener.
"""

import threading
import time

OPEN, GOING, DONE, FAILED = range(4)


class Gate:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.states = {}
        self.ends = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _move(self, rid, state):
        if self.states.get(rid) in (OPEN, GOING):
            self.states[rid] = state

    def open(self, rid):
        with self.lock:
            self.states[rid] = OPEN
            self.ends[rid] = time.monotonic() + 30

    def begin(self, rid):
        with self.lock:
            self._move(rid, GOING)

    def abort(self, rid):
        with self.lock:
            self._move(rid, FAILED)

    def _listen(self):
        while True:
            rid = self.inbox.get()
            self.lock.acquire()
            try:
                self._move(rid, DONE)
            finally:
                self.lock.release()

    def state(self, rid):
        with self.lock:
            if time.monotonic() > self.ends.get(rid, 0.0):
                self._move(rid, FAILED)
            return self.states.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.states.pop(rid, None)
            self.ends.pop(rid, None)
