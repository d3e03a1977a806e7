"""Savers put pages into a cache that counts its bytes.

Racy: two savers of one page can both find the old one, and one of them removes nothing.
"""

from concurrent.futures import ThreadPoolExecutor


class Cache:
    def __init__(self):
        self.pages = {}
        self.bytes = 0

    def add(self, number, page):
        if number in self.pages:
            old = self.pages.pop(number)  # want "pages.* removed as if it were still there"
            self.bytes -= len(old)
        self.pages[number] = page
        self.bytes += len(page)
        return True


class Saver:
    def __init__(self):
        self.cache = Cache()
        self.pool = ThreadPoolExecutor(4)

    def save(self, number, page):
        self.pool.submit(self._save, number, page)

    def _save(self, number, page):
        self.cache.add(number, page)
