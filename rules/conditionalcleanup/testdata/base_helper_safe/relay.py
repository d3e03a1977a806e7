"""A relay whose base keeps the books: a hang-up drops the route of a job, then marks the job.

Right: connect() gives the job its stage before the route is there, so mark() ignores only jobs
that were retired.
"""

import queue
import threading
import time

from books import Books, Stage


class Route:
    def __init__(self, address):
        self.address = address
        self.until = time.monotonic() + 60


class Relay(Books):
    def __init__(self):
        super().__init__()
        self.events = queue.Queue()
        threading.Thread(target=self._watch, daemon=True).start()

    def connect(self, job, address):
        with self.guard:
            self.stage_by_job[job] = Stage.OPEN
            self.route_by_job[job] = Route(address)

    def _watch(self):
        while True:
            event = self.events.get()
            if event.name == "hangup":
                self.unroute(event.job)
                self.mark(event.job, Stage.LOST)
            elif event.name == "delivered":
                self.mark(event.job, Stage.SENT)

    def progress(self, job):
        with self.guard:
            stage = self.stage_by_job.get(job, Stage.LOST)
            if stage is Stage.OPEN and self.overdue(job):
                self.stage_by_job[job] = stage = Stage.LOST
            return stage
