"""A property makes a new lock each time: nobody waits for anybody."""

import threading
from concurrent.futures import ThreadPoolExecutor


def announced(lock, what):
    print("waits for", what)
    return lock


class Vats:
    def __init__(self, size):
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.vats = {}

    @property
    def lid(self):
        return threading.Lock()

    def pour(self, brew, value):
        with self.lid:
            self.vats[brew] = value
        self.pool.submit(self._drain, brew)

    def _drain(self, brew):
        print("drain", brew)
        with announced(self.lid, brew):
            if brew in self.vats:
                del self.vats[brew]  # want "vats.* is tested, then removed"

    def spill(self, brew):
        with self.lid:
            self.vats.pop(brew, None)
