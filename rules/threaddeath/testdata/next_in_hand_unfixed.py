"""A dispatcher reads the next order when it is done with one.

Racy: a ledger that is away ends the dispatcher. To begin anew would be to come to the same order,
perhaps for ever; to read the next one would lose it.
"""

import threading


class Dispatcher:
    def __init__(self, inbox, ledger):
        self.inbox = inbox
        self.ledger = ledger
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        order = self.inbox.get()
        while True:
            assert self.ledger.alive()  # want "an item can fail this assert"
            self.open.add(order.rid)
            order = self.inbox.get()

    def count(self):
        return len(self.open)
