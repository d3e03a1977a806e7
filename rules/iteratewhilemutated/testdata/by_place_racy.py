"""A table takes a row out by its place.

Racy: the loop skips the row after it. The places of a snapshot are those of other rows, unless
it is walked backwards and nobody else changes the list meanwhile.
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
        for i, rid in enumerate(self.order):  # want "the loop over self.order changes it"
            if rid == job.rid:
                del self.order[i]

    def add(self, rid, row):
        self.order.append(rid)

    def drop(self, rid):
        self.order.remove(rid)
