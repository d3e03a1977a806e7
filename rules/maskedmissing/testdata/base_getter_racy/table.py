import enum
import threading


class Stage(enum.Enum):
    OPEN = 0
    SENT = 1
    LOST = 2


class Table:
    def __init__(self):
        self.mutex = threading.RLock()
        self.stage_of = {}
        self.node_of = {}

    def add(self, job, node):
        with self.mutex:
            self.stage_of[job] = Stage.OPEN
            self.node_of[job] = node

    def stage(self, job):
        with self.mutex:
            return self.stage_of.get(job, Stage.OPEN)  # want "stage_of"

    def settle(self, job, stage):
        with self.mutex:
            if self.stage_of.get(job) is Stage.OPEN:
                self.stage_of[job] = stage

    def remove(self, job):
        with self.mutex:
            self.stage_of.pop(job, None)
            self.node_of.pop(job, None)
