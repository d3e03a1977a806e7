"""Two backends under one base that knows when a handle is overdue.

Racy: the copper backend's progress() never asks; the glass backend's does.
"""

from family import Handle, Ledger


class CopperLedger(Ledger):
    pass


class CopperHandle(Handle):
    def progress(self):  # want "progress"
        return self.ledger.phase(self.job)
