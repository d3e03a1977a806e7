"""A dispatcher counts the orders that it works at where it stores them.

Racy: an order of another kind ends the dispatcher. The count goes down where it went up.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.busy = 0
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self._store(order)

    def _store(self, order):
        self.busy += 1
        if order.kind != "store":
            raise ValueError(order.kind)  # want "an item can lead to this ValueError"
        self.open.add(order.rid)
        self.busy -= 1

    def count(self):
        return len(self.open)
