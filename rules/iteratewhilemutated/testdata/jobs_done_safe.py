"""Clerks copy pages, and a table of contents is made of what they have copied.

Right: the table comes after a wait for all of them, in whatever way.
"""

import threading
from concurrent.futures import ThreadPoolExecutor, as_completed, wait


class Office:
    def __init__(self):
        self.lock = threading.Lock()
        self.clerks = ThreadPoolExecutor(max_workers=4)
        self.copies = {}

    def _copy(self, page):
        with self.lock:
            self.copies[page.number] = page.read()

    def copy(self, pages):
        jobs = [self.clerks.submit(self._copy, page) for page in pages]
        wait(jobs)
        for number in self.copies:
            print(number, self.copies[number])

    def recopy(self, pages):
        jobs = {}
        for page in pages:
            jobs[self.clerks.submit(self._copy, page)] = page
        for job in as_completed(jobs):
            print(jobs[job], job.exception(timeout=1))
        for number in self.copies:
            print(number, self.copies[number])

    def errors(self, pages):
        jobs = [self.clerks.submit(self._copy, page) for page in pages]
        for job in jobs:
            job.exception(timeout=60)
        return [self.copies[number] for number in self.copies]

    def forget(self, number):
        del self.copies[number]
