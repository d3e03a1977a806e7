"""A hook collects the finished keys in a comprehension while a callback adds some."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Saves:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=4)
        self.times = {}

    def save(self, rid, blocks):
        future = self.pool.submit(blocks.write)
        future.add_done_callback(lambda _: self._saved(rid, blocks.cost))

    def _saved(self, rid, cost):
        self.times[rid] = cost

    def slow(self, limit):
        return [rid for rid, cost in self.times.items() if cost > limit]  # want "can change .*inserts times.rid."

    def forget(self, rid):
        self.times.pop(rid, None)
