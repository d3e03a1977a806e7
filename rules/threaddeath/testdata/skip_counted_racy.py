"""A dispatcher counts the orders that it works at, and gives up some of them early.

Racy: an order of another kind ends the dispatcher. The count goes down for this one, too, and
once alone for those that are given up.
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
            self.busy += 1
            if order.void:
                self.busy -= 1
                continue
            if order.kind != "store":
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            self.busy -= 1

    def count(self):
        return len(self.open)
