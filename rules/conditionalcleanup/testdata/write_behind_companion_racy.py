"""Completions count only for jobs that still have a window; a trimmer closes windows of slow jobs.

Racy: the trimmer removes the window of a live job and leaves its result open. Neither a
completion nor a failure gets past the test for the window any more.
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
                        del self.windows[job]  # want "windows"

    def result(self, job):
        with self.lock:
            return self.results.get(job, Result.FAILED)

    def forget(self, job):
        with self.lock:
            self.windows.pop(job, None)
            self.results.pop(job, None)
