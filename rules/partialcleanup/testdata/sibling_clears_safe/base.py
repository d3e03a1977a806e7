"""What the backends share."""

import threading
import time


class Phase:
    OPEN = 0
    DONE = 1
    FAILED = 2


class Backend:
    def __init__(self):
        self.lock = threading.Lock()
        self.phases = {}
        self.routes = {}

    def end(self, rid, phase):
        with self.lock:
            if rid in self.phases:
                self.phases[rid] = phase


class Receiver:
    def __init__(self, backend, rid):
        self.backend = backend
        self.rid = rid
        self.deadline = time.monotonic() + 30
        self.backend.phases[rid] = Phase.OPEN

    def poll(self):
        phase = self.backend.phases[self.rid]
        if phase == Phase.OPEN and time.monotonic() > self.deadline:
            self.abort()
            return Phase.FAILED
        return phase

    def abort(self):
        self.backend.end(self.rid, Phase.FAILED)
