"""Abort forgets the transfer at once; clear comes for every request and forgets everything.

Right: what abort leaves, clear removes, whether or not the transfer is there.
"""


class Desk:
    def __init__(self):
        self.transfers = {}
        self.plans = {}

    def begin(self, rid, plan):
        self.plans[rid] = plan
        self.transfers[rid] = plan.start()

    def abort(self, rid):
        transfer = self.transfers.pop(rid, None)
        if transfer is not None:
            transfer.stop()

    def clear(self, rid):
        self.transfers.pop(rid, None)
        self.plans.pop(rid, None)
