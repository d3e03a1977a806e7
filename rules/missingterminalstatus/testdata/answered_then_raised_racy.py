"""The scheduler's loop over transfers: one that failed raises.

Racy: the raise ends the round, and those behind the failed transfer are not polled. It has been
answered, and its link is closed; that must not happen twice for another one that has failed.
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
                transfer.link.close()
                self.answer(transfer.rid, "failed")
                raise RuntimeError("transfer %r failed" % transfer.rid)  # want "round|transfers"
            if state == "done":
                self.answer(transfer.rid, None)
            else:
                moving.append(transfer)
        self.transfers = moving
