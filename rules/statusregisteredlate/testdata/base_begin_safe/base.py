import enum
import threading
import time


class Stage(enum.Enum):
    OPEN = 0
    SENT = 1
    LOST = 2


class Base:
    def __init__(self):
        self.mutex = threading.RLock()
        self.route_of = {}
        self.stage_of = {}
        self.since = {}

    def submit(self, job, node):
        with self.mutex:
            self.since[job] = time.monotonic()
            self.stage_of[job] = Stage.OPEN
        with self.mutex:
            self.route_of[job] = node

    def move(self, job, stage):
        with self.mutex:
            if self.stage_of.get(job) is Stage.OPEN:
                self.stage_of[job] = stage

    def stage(self, job):
        with self.mutex:
            if time.monotonic() - self.since.get(job, 0.0) > 60:
                self.move(job, Stage.LOST)
            return self.stage_of.get(job, Stage.LOST)

    def retire(self, job):
        with self.mutex:
            self.route_of.pop(job, None)
            self.stage_of.pop(job, None)
            self.since.pop(job, None)
