import enum
import threading
import time


class Phase(enum.Enum):
    LIVE = "live"
    DONE = "done"
    LOST = "lost"


class Ledger:
    def __init__(self, feed):
        self.feed = feed
        self.guard = threading.Lock()
        self.phases = {}
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self):
        while True:
            self.advance(self.feed.get(), Phase.DONE)

    def advance(self, job, phase):
        with self.guard:
            if self.phases.get(job) is Phase.LIVE:
                self.phases[job] = phase

    def phase(self, job):
        with self.guard:
            return self.phases.get(job, Phase.LOST)


class Handle:
    def __init__(self, ledger: Ledger, job):
        self.ledger = ledger
        self.job = job
        self.born = time.monotonic()
        with ledger.guard:
            ledger.phases[job] = Phase.LIVE

    def give_up_when_overdue(self):
        if time.monotonic() - self.born > 60:
            self.ledger.advance(self.job, Phase.LOST)

    def release(self):
        with self.ledger.guard:
            self.ledger.phases.pop(self.job, None)
