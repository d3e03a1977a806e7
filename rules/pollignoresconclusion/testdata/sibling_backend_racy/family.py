import enum
import threading
import time


class Phase(enum.Enum):
    LIVE = 0
    DONE = 1
    LOST = 2


class Ledger:
    def __init__(self):
        self.guard = threading.Lock()
        self.phases = {}
        self.open_jobs = set()

    def phase(self, job):
        with self.guard:
            return self.phases.get(job, Phase.LOST)

    def advance(self, job, phase):
        with self.guard:
            if job in self.open_jobs:
                self.open_jobs.discard(job)
                self.phases[job] = phase

    def withdraw(self, job):
        with self.guard:
            self.open_jobs.discard(job)

    def forget(self, job):
        with self.guard:
            self.open_jobs.discard(job)
            self.phases.pop(job, None)


class Handle:
    def __init__(self, ledger: Ledger, job):
        self.ledger = ledger
        self.job = job
        self.verdict = None
        self.born = time.monotonic()
        with ledger.guard:
            ledger.phases[job] = Phase.LIVE
            ledger.open_jobs.add(job)

    def overdue(self):
        return time.monotonic() - self.born > 60

    def cancel(self):
        if self.verdict is None:
            self.verdict = Phase.LOST
        self.ledger.withdraw(self.job)

    def release(self):
        self.ledger.forget(self.job)
