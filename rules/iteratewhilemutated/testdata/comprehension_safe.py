"""Collecting and adding share a lock."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Saves:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=4)
        self.mutex = threading.Lock()
        self.times = {}

    def save(self, rid, blocks):
        future = self.pool.submit(blocks.write)
        future.add_done_callback(lambda _: self._saved(rid, blocks.cost))

    def _saved(self, rid, cost):
        with self.mutex:
            self.times[rid] = cost

    def slow(self, limit):
        with self.mutex:
            return [rid for rid, cost in self.times.items() if cost > limit]

    def forget(self, rid):
        with self.mutex:
            self.times.pop(rid, None)
