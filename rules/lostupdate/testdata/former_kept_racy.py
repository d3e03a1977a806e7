"""A worker forgets the marks of a job, and hands on those that it had before.

Racy: what another thread marks while the rest is filtered is lost. The former set is not to
change.
"""

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
            before = self.marks
            self.marks = {m for m in self.marks if m[0] != job.rid}  # want "marks is filtered and stored back"
            job.done(before)

    def mark(self, rid, part):
        self.marks.add((rid, part))

    def marked(self, rid, part):
        return (rid, part) in self.marks
