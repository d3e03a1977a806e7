import threading

from family import Handle, Ledger, Phase


class DiskLedger(Ledger):
    def __init__(self, events):
        super().__init__()
        self.events = events
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self):
        while True:
            self.advance(self.events.get(), Phase.DONE)


class DiskHandle(Handle):
    def progress(self):
        if self.verdict is not None:
            return self.verdict
        phase = self.ledger.phase(self.job)
        if phase is Phase.LIVE and self.overdue():
            phase = Phase.LOST
        if phase is not Phase.LIVE:
            self.verdict = phase
        return phase
