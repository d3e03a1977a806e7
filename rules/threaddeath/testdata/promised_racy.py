"""A dispatcher gives each order the result that its sender waits for.

Racy: an order of another kind ends the dispatcher. Its sender gets the exception.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.kinds = ("store",)
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            if order.kind not in self.kinds:
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            order.promise.set_result(order.rid)

    def count(self):
        return len(self.open)
