import enum
import threading


class Stage(enum.Enum):
    OPEN = "open"
    SHIPPED = "shipped"
    LOST = "lost"


class StageTable:
    def __init__(self):
        self.mutex = threading.Lock()
        self.by_job = {}

    def open(self, job):
        with self.mutex:
            self.by_job[job] = Stage.OPEN

    def record(self, job, stage):
        with self.mutex:
            current = self.by_job.get(job)
            if current is None or current in (Stage.SHIPPED, Stage.LOST):
                return
            self.by_job[job] = stage

    def stage(self, job):
        with self.mutex:
            return self.by_job.get(job, Stage.LOST)

    def retire(self, job):
        with self.mutex:
            self.by_job.pop(job, None)
