"""A dispatcher tells its inbox of each order that is done.

Racy: a peer sends another kind of order, and the dispatcher is gone. To go on with the next
one would let those wait for ever who join the inbox.
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
            assert order.kind == "store" and order.rid  # want "an item can fail this assert"
            self.open.add(order.rid)
            self.inbox.task_done()

    def count(self):
        return len(self.open)
