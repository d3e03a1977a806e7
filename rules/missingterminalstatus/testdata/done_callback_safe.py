"""A done callback with a case for futures that failed.

Right: a failed future is counted, and its task becomes ERROR.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum
from functools import partial


class Code(IntEnum):
    ERROR = 0
    RUNNING = 1
    FINISHED = 2


class Pool:
    def __init__(self, job):
        self.job = job
        self.lock = threading.Lock()
        self.codes = {}
        self.failures = 0
        self.executor = ThreadPoolExecutor()

    def launch(self, task):
        with self.lock:
            self.codes[task] = Code.RUNNING
        self.executor.submit(self.job, task).add_done_callback(partial(self._after, task))

    def _after(self, task, future):
        if future.exception() is not None:
            with self.lock:
                self.failures += 1
            self._set(task, Code.ERROR)
            return
        self._set(task, Code.FINISHED)

    def _set(self, task, code):
        with self.lock:
            if self.codes.get(task) == Code.RUNNING:
                self.codes[task] = code

    def code(self, task):
        with self.lock:
            return self.codes.get(task, Code.ERROR)

    def discard(self, task):
        with self.lock:
            self.codes.pop(task, None)
