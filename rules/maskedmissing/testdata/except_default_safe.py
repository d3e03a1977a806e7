"""A strict read inside a try, whose handler supplies a code.

Right: the code is ERROR, for a job is in the table from enter() until it is over.
"""

import threading
import time
from enum import IntEnum


class Code(IntEnum):
    ERROR = 0
    WAITING = 1
    OK = 2


class Job:
    def __init__(self, owner):
        self.owner = owner
        self.end = time.monotonic() + 30


class Sweeper(threading.Thread):
    def __init__(self, owners):
        super().__init__(daemon=True)
        self.owners = owners
        self.guard = threading.Lock()
        self.jobs = {}
        self.codes = {}
        self.start()

    def enter(self, name, owner):
        with self.guard:
            self.codes[name] = Code.WAITING
            self.jobs[name] = Job(owner)

    def done(self, name):
        with self.guard:
            if self.codes.get(name) == Code.WAITING:
                self.codes[name] = Code.OK

    def run(self):
        while True:
            time.sleep(1)
            with self.guard:
                for name, job in list(self.jobs.items()):
                    if self.codes.get(name) != Code.WAITING:
                        continue
                    if not self.owners.alive(job.owner):
                        self._remove(name)
                    elif time.monotonic() > job.end:
                        self.codes[name] = Code.ERROR

    def _remove(self, name):
        self.jobs.pop(name, None)
        self.codes.pop(name, None)

    def code(self, name):
        with self.guard:
            try:
                return self.codes[name]
            except KeyError:
                return Code.ERROR

    def forget(self, name):
        with self.guard:
            self._remove(name)
