"""A dispatcher expects the ledger of its orders to be alive.

Racy: a ledger that is away for a moment ends the dispatcher, and orders still come in. To go
on would only ask again, and at once: it takes a moment of patience. No order has been taken
until then, so none is lost.
"""

import threading


class Dispatcher:
    def __init__(self, inbox, ledger):
        self.inbox = inbox
        self.ledger = ledger
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            assert self.ledger.alive()  # want "an item can fail this assert"
            order = self.inbox.get()
            self.open.add(order.rid)

    def count(self):
        return len(self.open)
