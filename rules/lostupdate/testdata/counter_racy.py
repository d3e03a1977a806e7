"""A budget is charged by the caller and credited by a pool worker."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Budget:
    def __init__(self, limit):
        self.pool = ThreadPoolExecutor()
        self.limit = limit
        self.used = 0
        self.sizes = {}

    def start(self, rid, size, job):
        if self.used + size > self.limit:
            return False
        self.used += size  # want "used is read, changed and written back"
        self.sizes[rid] = size
        self.pool.submit(self._run, rid, job)
        return True

    def _run(self, rid, job):
        job()
        self.used -= self.sizes.pop(rid)
