"""A table does with every second row.

Racy: a caller adds a row meanwhile. A snapshot of the iterator in the loop would take the rows
that the loop skips by hand: what is copied is what the iterator walks over.
"""

import queue
import threading


class Table:
    def __init__(self):
        self.jobs = queue.Queue()
        self.rows = {}
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            self._one(self.jobs.get())

    def _one(self, job):
        it = iter(self.rows.items())
        for rid, row in it:  # want "it can change while this loop walks over it"
            job.do(rid, row)
            next(it, None)

    def add(self, rid, row):
        self.rows[rid] = row

    def drop(self, rid):
        self.rows.pop(rid, None)
