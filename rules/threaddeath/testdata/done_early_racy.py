"""A dispatcher tells its inbox of each order that is done, at once of those that it leaves out.

Racy: an order of another kind ends the dispatcher. The inbox hears of that one as well.
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
            if order.void:
                self.inbox.task_done()
                continue
            if order.kind not in self.kinds:
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            self.inbox.task_done()

    def count(self):
        return len(self.open)
