"""A worker drops the marks of a request by storing a filtered copy of all marks."""

import queue
import threading


class Marks:
    def __init__(self):
        self.jobs = queue.Queue()
        self.marks = set()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            job = self.jobs.get()
            job.run()
            self.marks = {m for m in self.marks if m[0] != job.rid}  # want "marks is filtered and stored back: what Marks.mark inserts"

    def mark(self, rid, part):
        self.marks.add((rid, part))

    def marked(self, rid, part):
        return (rid, part) in self.marks
