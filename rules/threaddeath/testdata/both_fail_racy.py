"""A dispatcher expects its ledger to be alive, and each order to be of a kind that it knows.

Racy: either ends the dispatcher. To go on means two things: to wait a moment where nothing has
been taken, and to tell the inbox of the order that has failed.
"""

import threading


class Dispatcher:
    def __init__(self, inbox, ledger):
        self.inbox = inbox
        self.ledger = ledger
        self.kinds = ("store",)
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            assert self.ledger.alive()  # want "an item can fail this assert"
            order = self.inbox.get()
            if order.kind not in self.kinds:
                raise ValueError(order.kind)
            self.open.add(order.rid)
            self.inbox.task_done()

    def count(self):
        return len(self.open)
