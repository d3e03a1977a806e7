"""A press that prints pages side by side.

Right: each page is waited for, whatever becomes of it.
"""

from concurrent.futures import ThreadPoolExecutor


class Press:
    def __init__(self):
        self.hands = ThreadPoolExecutor(max_workers=4)
        self.sheets = {}

    def _print(self, page):
        self.sheets[page.number] = page.read()

    def run(self, pages):
        jobs = [self.hands.submit(self._print, page) for page in pages]
        for job in jobs:
            try:
                job.result()
            except OSError:
                print("a page is lost")
        for number in self.sheets:
            print(number)

    def drop(self, number):
        del self.sheets[number]
