"""Scribes copy scrolls, and the list of what is copied is read when their jobs are over.

Racy: restart() forgets jobs that still run, so the wait is not for all of them.
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
        self.jobs.clear()

    def table(self):
        wait(self.jobs)
        for number in self.scrolls:  # want "self.scrolls can change while this loop walks over it: Scriptorium._copy inserts"
            print(number)

    def drop(self, number):
        del self.scrolls[number]
