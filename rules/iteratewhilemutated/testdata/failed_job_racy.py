"""A press that prints pages side by side.

Wrong: the first page that fails ends the wait for the others, which go on.
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
        try:
            for job in jobs:
                job.result()
        except OSError:
            print("a page is lost")
        for number in self.sheets:  # want "can change while this loop walks over it"
            print(number)

    def drop(self, number):
        del self.sheets[number]
