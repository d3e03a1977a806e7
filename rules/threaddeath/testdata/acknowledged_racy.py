"""A dispatcher hands orders on by their kind, and acknowledges each.

Racy: a peer sends another kind of order, and the dispatcher is gone. To go on with the next
one would leave it without an answer.
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
            if order.kind == "store":
                self.open.add(order.rid)
            elif order.kind == "cancel":
                self.open.discard(order.rid)
            else:
                assert False, order  # want "an item can fail this assert"
            order.ack()

    def count(self):
        return len(self.open)
