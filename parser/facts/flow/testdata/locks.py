import threading
from contextlib import contextmanager


class Safe:
    def __init__(self):
        self.lock = threading.RLock()
        self.ready = threading.Condition(self.lock)
        self.rows = {}
        self.row_locks = {}

    def inside(self, key):
        with self.lock:
            self._put(key)

    def _put(self, key):
        self.rows[key] = 1

    def by_hand(self, key):
        self.lock.acquire()
        try:
            self.rows.pop(key)
        finally:
            self.lock.release()

    @contextmanager
    def held(self):
        with self.lock:
            yield

    def managed(self, key):
        with self.held():
            self.rows[key] = 2

    def signalled(self, key):
        with self.ready:
            while key not in self.rows:
                self.ready.wait(timeout=1)

    def own(self, key):
        with self.row_locks.setdefault(key, threading.Lock()):
            self.rows[key] = 3
