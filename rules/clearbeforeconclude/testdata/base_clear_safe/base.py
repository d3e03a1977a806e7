import enum
import threading


class Stage(enum.Enum):
    OPEN = "open"
    SENT = "sent"
    LOST = "lost"


class Yard:
    def __init__(self):
        self.mutex = threading.Lock()
        self.stages = {}


class BaseHandle:
    def __init__(self, yard: Yard, job):
        self.yard = yard
        self.job = job
        self.verdict = None
        with yard.mutex:
            yard.stages[job] = Stage.OPEN

    def close(self):
        with self.yard.mutex:
            self.yard.stages.pop(self.job, None)
