"""The handler around the work counts down what the work has not.

Right: each way through the loop counts down once, or finds that the request is gone.
"""

import queue
import threading
from collections import defaultdict


class Storing(threading.Thread):
    def __init__(self, store):
        super().__init__(daemon=True)
        self.store = store
        self.jobs = queue.Queue()
        self.left = defaultdict(int)

    def add(self, rid, pages):
        self.left[rid] += 1
        self.jobs.put((rid, pages))

    def run(self):
        while True:
            job = self.jobs.get()
            if job is None:
                continue
            rid, pages = job
            try:
                self.store.put(pages)
            except Exception:
                if rid in self.left:
                    self.left[rid] -= 1
                continue
            if rid not in self.left:
                continue
            self.left[rid] -= 1
