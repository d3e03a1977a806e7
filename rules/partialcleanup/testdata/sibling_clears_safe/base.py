"""What the backends share."""

import threading


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
        self.backend.phases[rid] = Phase.OPEN

    def poll(self):
        return self.backend.phases[self.rid]

    def abort(self):
        self.backend.end(self.rid, Phase.FAILED)
