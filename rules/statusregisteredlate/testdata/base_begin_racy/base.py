import enum
import threading


class Stage(enum.Enum):
    OPEN = 0
    SENT = 1
    LOST = 2


class Base:
    def __init__(self):
        self.mutex = threading.RLock()
        self.route_of = {}
        self.stage_of = {}

    def submit(self, job, node):
        with self.mutex:
            self.route_of[job] = node  # want "route_of"
        with self.mutex:
            self.stage_of[job] = Stage.OPEN

    def move(self, job, stage):
        with self.mutex:
            if self.stage_of.get(job) is Stage.OPEN:
                self.stage_of[job] = stage

    def stage(self, job):
        with self.mutex:
            return self.stage_of.get(job, Stage.LOST)

    def retire(self, job):
        with self.mutex:
            self.route_of.pop(job, None)
            self.stage_of.pop(job, None)
