"""Copies are made by workers, and looked at when all are over."""

from concurrent.futures import ThreadPoolExecutor, wait


class Copies:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=4)
        self.pages = {}

    def _copy(self, number):
        self.pages[number] = "copied"

    def copy(self, numbers):
        jobs = [self.pool.submit(self._copy, number) for number in numbers]
        wait(jobs)
        for number in self.pages:
            print(number)

    def forget(self, number):
        del self.pages[number]
