"""A table walks over what it finds on the way as well.

Racy: a caller drops a row meanwhile. A snapshot has nothing of what is found on the way.
"""

import queue
import threading


class Table:
    def __init__(self):
        self.jobs = queue.Queue()
        self.order = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            self._one(self.jobs.get())

    def _one(self, job):
        for rid in self.order:  # want "self.order can change while this loop walks over it"
            if job.more(rid):
                self.order.append(job.after(rid))

    def add(self, rid, row):
        self.order.append(rid)

    def drop(self, rid):
        self.order.remove(rid)
