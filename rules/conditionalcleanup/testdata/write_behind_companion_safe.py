"""Completions count only for jobs that still have a window; a trimmer closes windows of slow jobs.

Right: the trimmer fails the job whose window it removes, in the same critical section.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor


class Result:
    WAITING = "waiting"
    READY = "ready"
    FAILED = "failed"


class Mover:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.windows = {}
        self.results = {}
        self.pool = ThreadPoolExecutor(4)
        self.pool.submit(self._trim)

    def submit(self, job, blocks):
        with self.lock:
            self.results[job] = Result.WAITING
            self.windows[job] = time.monotonic()
        self.pool.submit(self._move, job, blocks)

    def _move(self, job, blocks):
        try:
            self.engine.copy(blocks, timeout=30)
        except Exception:
            self._finish(job, Result.FAILED)
        else:
            self._finish(job, Result.READY)

    def _finish(self, job, result):
        with self.lock:
            if job in self.windows and self.results.get(job) == Result.WAITING:
                self.results[job] = result

    def _trim(self):
        while True:
            time.sleep(5)
            with self.lock:
                for job, since in list(self.windows.items()):
                    if time.monotonic() - since > 60:
                        del self.windows[job]
                        if self.results.get(job) == Result.WAITING:
                            self.results[job] = Result.FAILED

    def result(self, job):
        with self.lock:
            return self.results.get(job, Result.FAILED)

    def forget(self, job):
        with self.lock:
            self.windows.pop(job, None)
            self.results.pop(job, None)
