"""A job is put on the shelf by submit() and gets its code from the worker that takes it up.

Racy: drop() ends jobs that have a code. A job that is dropped on the shelf is taken up and
waits for its pages.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum


class Code(IntEnum):
    ERROR = 0
    WAITING = 1
    OK = 2


class Shelf:
    def __init__(self, pages):
        self.pages = pages
        self.guard = threading.Lock()
        self.shelf = {}
        self.codes = {}
        self.pool = ThreadPoolExecutor(1)
        self.pool.submit(self._work)
        threading.Thread(target=self._arrivals, daemon=True).start()

    def submit(self, rank, job, size):
        with self.guard:
            self.shelf[(rank, job)] = size  # want "shelf"

    def _work(self):
        while True:
            time.sleep(0.01)
            with self.guard:
                for key, size in list(self.shelf.items()):
                    if key in self.codes:
                        continue
                    self.codes[key] = Code.WAITING
                    try:
                        self.pages.request(key, size)
                    except OSError:
                        self.codes[key] = Code.ERROR

    def _arrivals(self):
        while True:
            key = self.pages.next()
            with self.guard:
                if self.codes.get(key) == Code.WAITING:
                    self.codes[key] = Code.OK

    def drop(self, rank, job):
        with self.guard:
            if (rank, job) in self.codes:
                self.codes[(rank, job)] = Code.ERROR
                self.shelf.pop((rank, job), None)

    def code(self, rank, job):
        with self.guard:
            return self.codes.get((rank, job), Code.WAITING)

    def clear(self, rank, job):
        with self.guard:
            self.shelf.pop((rank, job), None)
            self.codes.pop((rank, job), None)
