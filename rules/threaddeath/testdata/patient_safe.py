"""A dispatcher waits a moment while its ledger is away, before it takes an order.

Right: nothing ends it, and it does not ask all the time.
"""

import threading
import time


class Dispatcher:
    def __init__(self, inbox, ledger):
        self.inbox = inbox
        self.ledger = ledger
        self.kinds = ("store",)
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            try:
                assert self.ledger.alive()
            except AssertionError:
                time.sleep(1)
                continue
            order = self.inbox.get()
            self.open.add(order.rid)

    def count(self):
        return len(self.open)
