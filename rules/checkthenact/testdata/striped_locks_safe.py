"""A tuple of locks: the hash of the key tells which one it is, so that one key has one lock."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Drawers:
    def __init__(self, size):
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.locks = tuple(threading.Lock() for _ in range(16))
        self.drawers = {}

    def _lock_of(self, label):
        return self.locks[hash(label) % len(self.locks)]

    def fill(self, label, value):
        with self._lock_of(label):
            self.drawers[label] = value
        self.pool.submit(self._empty, label)

    def _empty(self, label):
        print("empty", label)
        with self._lock_of(label):
            if label in self.drawers:
                del self.drawers[label]

    def discard(self, label):
        with self.locks[hash(label) % len(self.locks)]:
            self.drawers.pop(label, None)
