"""Both sides hold the lock, the worker through its helper; the statistics may drift."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Budget:
    def __init__(self, limit):
        self.pool = ThreadPoolExecutor()
        self.lock = threading.Lock()
        self.limit = limit
        self.used = 0
        self.runs = 0
        self.sizes = {}

    def start(self, rid, size, job):
        with self.lock:
            if self.used + size > self.limit:
                return False
            self.used += size
            self.sizes[rid] = size
        self.runs += 1
        self.pool.submit(self._run, rid, job)
        return True

    def _run(self, rid, job):
        job()
        self.runs += 1
        with self.lock:
            self._credit(rid)

    def _credit(self, rid):
        self.used -= self.sizes.pop(rid)
