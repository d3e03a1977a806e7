"""A table that only the jobs of an executor touch.

Right: the executor has one worker, so the jobs run one after the other.
"""

from concurrent.futures import ThreadPoolExecutor


class Table:
    def __init__(self):
        self.rows = {}
        self.pool = ThreadPoolExecutor(max_workers=1)

    def add(self, key, value):
        self.pool.submit(self._add, key, value)

    def drop(self, key):
        self.pool.submit(self._drop, key)

    def names(self):
        return self.pool.submit(self._names).result(10)

    def _add(self, key, value):
        self.rows[key] = value

    def _drop(self, key):
        if key in self.rows:
            del self.rows[key]

    def _names(self):
        return [key for key in self.rows]
