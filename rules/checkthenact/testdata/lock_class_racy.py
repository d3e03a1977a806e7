"""A class with the methods of a lock that takes none."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Gate:
    def __init__(self):
        self.name = "gate"

    def acquire(self):
        return self

    def release(self, *exc):
        print(exc)

    __enter__ = acquire
    __exit__ = release


class Kennels:
    def __init__(self, size):
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.gate = Gate()
        self.kennels = {}

    def house(self, dog, value):
        with self.gate:
            self.kennels[dog] = value
        self.pool.submit(self._feed, dog)

    def _feed(self, dog):
        print("feed", dog)
        with self.gate:
            if dog in self.kennels:
                del self.kennels[dog]  # want "kennels.* is tested, then removed"

    def adopt(self, dog):
        with self.gate:
            self.kennels.pop(dog, None)
