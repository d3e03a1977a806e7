"""A job gets its code, and is put on the shelf, by submit().

Right: drop() ends a job on the shelf, too, and the worker passes it over.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from enum import IntEnum


class Code(IntEnum):
    ERROR = 0
    WAITING = 1
    OK = 2


class Load:
    def __init__(self, size):
        self.size = size
        self.requested = False
        self.end = time.monotonic() + 60


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
            self.codes[(rank, job)] = Code.WAITING
            self.shelf[(rank, job)] = Load(size)

    def _work(self):
        while True:
            time.sleep(0.01)
            with self.guard:
                for key, load in list(self.shelf.items()):
                    if self.codes.get(key) != Code.WAITING:
                        continue
                    if time.monotonic() > load.end:
                        self.codes[key] = Code.ERROR
                    elif not load.requested:
                        load.requested = True
                        try:
                            self.pages.request(key, load.size)
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
            if self.codes.get((rank, job)) == Code.WAITING:
                self.codes[(rank, job)] = Code.ERROR
                self.shelf.pop((rank, job), None)

    def code(self, rank, job):
        with self.guard:
            return self.codes.get((rank, job), Code.ERROR)

    def clear(self, rank, job):
        with self.guard:
            self.shelf.pop((rank, job), None)
            self.codes.pop((rank, job), None)
