"""A table that only the jobs of an executor touch.

Racy: the executor has two workers, and two jobs can drop the same row.
"""

from concurrent.futures import ThreadPoolExecutor


class Table:
    def __init__(self):
        self.rows = {}
        self.pool = ThreadPoolExecutor(max_workers=2)

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
            del self.rows[key]  # want "rows.key. is tested, then removed"

    def _names(self):
        return [key for key in self.rows]
