"""The scheduler's loop over transfers: one that failed raises.

Racy: the raise ends the round. The failed transfer gets no answer, and those behind it are not
polled; the next round comes to the same transfer first.
"""

import time


class Transfer:
    def __init__(self, rid, link):
        self.rid = rid
        self.link = link
        self.verdict = None
        self.expires = time.monotonic() + 30

    def poll(self):
        if self.verdict is None:
            if self.link.broken() or time.monotonic() > self.expires:
                self.verdict = "failed"
            elif self.link.arrived(self.rid):
                self.verdict = "done"
            else:
                return "moving"
        return self.verdict


class TransferList:
    def __init__(self, answer):
        self.answer = answer
        self.transfers = []

    def add(self, rid, link):
        self.transfers.append(Transfer(rid, link))

    def round(self):
        moving = []
        for transfer in self.transfers:
            state = transfer.poll()
            if state == "failed":
                raise RuntimeError("transfer %r failed" % transfer.rid)  # want "round|transfers"
            if state == "done":
                self.answer(transfer.rid, None)
            else:
                moving.append(transfer)
        self.transfers = moving
