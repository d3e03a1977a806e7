"""The worker discards from the set itself, walking over a copy."""

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
            for m in list(self.marks):
                if m[0] == job.rid:
                    self.marks.discard(m)

    def mark(self, rid, part):
        self.marks.add((rid, part))

    def marked(self, rid, part):
        return (rid, part) in self.marks
