"""Uploads: a handle registers its name by the setter, workers tell how far it is.

Right: the setter lets nothing in for a name that is not known but what registers one, whatever
the wire says about it later.
"""

import queue
import threading
from enum import IntEnum


class Stage(IntEnum):
    LOST = 0
    QUEUED = 1
    PAUSED = 2
    MOVING = 3
    STORED = 4


class Uploads:
    def __init__(self, wire):
        self.wire = wire
        self.jobs = queue.Queue()
        self.stages = {}
        self.reasons = {}
        threading.Thread(target=self._work, daemon=True).start()

    def note(self, name, stage):
        if name not in self.stages:
            if stage not in (Stage.QUEUED, Stage.PAUSED):
                return
            self.stages[name] = stage
        else:
            self.stages[name] = max(self.stages.get(name, stage), stage)

    def _work(self):
        while True:
            job = self.jobs.get()
            sent = self.wire.send(job)
            self.note(job.name, Stage(sent))


class Upload:
    def __init__(self, owner: Uploads, name, paused, size):
        self.owner = owner
        self.name = name
        if size == 0:
            owner.reasons[name] = "empty"
        if paused:
            owner.note(name, Stage.PAUSED)
        else:
            owner.note(name, Stage.QUEUED)

    def send(self, job):
        self.owner.jobs.put(job)

    def poll(self):
        return self.owner.stages[self.name]

    def forget(self):
        self.owner.stages.pop(self.name, None)
        self.owner.reasons.pop(self.name, None)
