"""A worker forgets the marks whose successor is there.

Racy: what another thread marks while the rest is filtered is lost. The filter asks the set, which
a loop would have changed by then.
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
            self.marks = {m for m in self.marks if (m[0], m[1] + 1) not in self.marks}  # want "marks is filtered and stored back"
            job.done()

    def mark(self, rid, part):
        self.marks.add((rid, part))

    def marked(self, rid, part):
        return (rid, part) in self.marks
