"""A worker keeps pages in a cache of its own.

Racy: whoever gets the cache from the link can sweep it between the test and the look-up.
"""

import threading


class Cache:
    def __init__(self):
        self.pages = {}

    def put(self, number, page):
        self.pages[number] = page

    def get(self, number):
        if number in self.pages:
            return self.pages[number]  # want "pages.* can remove it"
        return None

    def sweep(self, wanted):
        for number in list(self.pages):
            if number not in wanted:
                self.pages.pop(number)


class Worker:
    def __init__(self, link):
        self.link = link
        self.cache = Cache()
        link.register(self.cache)
        threading.Thread(target=self._serve, daemon=True).start()

    def store(self, number, page):
        self.cache.put(number, page)

    def _serve(self):
        while True:
            number = self.link.receive()
            self.link.answer(self.cache.get(number))
