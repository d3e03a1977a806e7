import enum
import threading
import time


class Stage(enum.Enum):
    OPEN = "open"
    SENT = "sent"
    LOST = "lost"


class Books:
    def __init__(self):
        self.guard = threading.RLock()
        self.stage_by_job = {}
        self.route_by_job = {}

    def mark(self, job, stage):
        with self.guard:
            if self.stage_by_job.get(job) is not Stage.OPEN:
                return
            self.stage_by_job[job] = stage

    def unroute(self, job):
        with self.guard:
            self.route_by_job.pop(job, None)

    def retire(self, job):
        with self.guard:
            self.route_by_job.pop(job, None)
            self.stage_by_job.pop(job, None)

    def overdue(self, job):
        with self.guard:
            route = self.route_by_job.get(job)
            return route is not None and time.monotonic() > route.until
