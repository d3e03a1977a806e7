"""A dispatcher expects its inbox to know each order.

Racy: one order that the inbox has forgotten ends the dispatcher for all that come later.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            assert self.inbox.knows(order.rid)  # want "an item can fail this assert"
            self.open.add(order.rid)

    def count(self):
        return len(self.open)
