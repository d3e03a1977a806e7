"""A hook splits its work among a pool and waits for all parts; another takes what is in a queue.

Neither waits for somebody else: the parts are its own, and the queue has as many items as it says.
"""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor


class Shelves:
    def __init__(self, files, size):
        self.files = files
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.returned = queue.Queue()
        self.lent = {}
        threading.Thread(target=self._sort, daemon=True).start()

    def fetch(self, names):
        parts = [self.pool.submit(self.files.read, n) for n in names]
        return [page for part in parts for page in part.result()]

    def fetch_two(self, first, second):
        part = self.pool.submit(self.files.read, first)
        rest = self.files.read(second)
        return part.result(), rest

    def lend(self, name, reader):
        self.lent[name] = reader

    def tidy(self):
        waiting = min(self.returned.qsize(), 16)
        for _ in range(waiting):
            name = self.returned.get()
            self.lent.pop(name, None)

    def _sort(self):
        while True:
            name = self.files.next_return()
            self.returned.put(name)
