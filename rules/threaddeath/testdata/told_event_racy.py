"""A dispatcher sets the event of an order that is stored; who has sent it waits for that.

Racy: an order of another kind ends the dispatcher. To go on leaves its sender alone, as the
title of the patch says: an event cannot tell of a failure.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.told = 0
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            assert order.kind == "store"  # want "an item can fail this assert"
            self.open.add(order.rid)
            order.stored.set()

    def count(self):
        return len(self.open)
