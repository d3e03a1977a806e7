"""A tuple of locks, of which the worker takes the first and discard() the second."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Drawers:
    def __init__(self, size):
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.locks = (threading.Lock(), threading.Lock())
        self.drawers = {}

    def fill(self, label, value):
        with self.locks[1]:
            self.drawers[label] = value
        self.pool.submit(self._empty, label)

    def _empty(self, label):
        print("empty", label)
        with self.locks[0]:
            if label in self.drawers:
                del self.drawers[label]  # want "drawers.* is tested, then removed"

    def discard(self, label):
        with self.locks[1]:
            self.drawers.pop(label, None)
