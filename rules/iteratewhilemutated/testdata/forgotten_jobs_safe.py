"""Scribes copy scrolls, and the list of what is copied is read when their jobs are over.

Right: jobs are forgotten only when they are over, or handed to who waits for them.
"""

from concurrent.futures import ThreadPoolExecutor, wait


class Scriptorium:
    def __init__(self):
        self.scribes = ThreadPoolExecutor(max_workers=4)
        self.jobs = []
        self.scrolls = {}

    def _copy(self, scroll):
        self.scrolls[scroll.number] = scroll.read()

    def begin(self, scroll):
        self.jobs.append(self.scribes.submit(self._copy, scroll))

    def restart(self):
        wait(self.jobs)
        self.jobs.clear()

    def tidy(self):
        self.jobs = [job for job in self.jobs if not job.done()]

    def table(self):
        wait(self.jobs)
        for number in self.scrolls:
            print(number)
        self.jobs = []

    def drop(self, number):
        del self.scrolls[number]
