"""A lease that is in use has no end. The word that it is given back gives it one.

It counts only for a page that is in use.
"""

import math
import threading
import time


class Leases:
    def __init__(self, store):
        self.store = store
        self.guard = threading.Lock()
        self.until = {}
        threading.Thread(target=self._hear, daemon=True).start()

    def lend(self, page):
        with self.guard:
            self.until[page] = float("inf")

    def _hear(self):
        while True:
            page = self.store.next_return()
            with self.guard:
                if self.until.get(page) == math.inf:
                    self.until[page] = time.monotonic() + 30

    def over(self):
        now = time.monotonic()
        with self.guard:
            return [page for page, until in self.until.items() if until < now]

    def drop(self, page):
        with self.guard:
            self.until.pop(page, None)
