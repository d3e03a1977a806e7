import threading
from enum import IntEnum


class Status(IntEnum):
    FAILED = 0
    PENDING = 1
    RUNNING = 2
    DONE = 3


class StatusBase:
    def __init__(self):
        self.lock = threading.Lock()
        self.status = {}

    def register(self, rid):
        with self.lock:
            self.status[rid] = Status.PENDING

    def update(self, rid, status):
        with self.lock:
            if rid in self.status:
                self.status[rid] = max(self.status[rid], status)  # want "status"

    def current(self, rid):
        with self.lock:
            return self.status.get(rid, Status.FAILED)

    def remove(self, rid):
        with self.lock:
            self.status.pop(rid, None)
