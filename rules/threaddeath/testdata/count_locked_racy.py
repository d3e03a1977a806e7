"""A dispatcher counts the orders that it works at, under a lock.

Racy: an order of another kind ends the dispatcher. The count goes down for this one as well.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.busy = 0
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            with self.lock:
                self.busy += 1
            if order.kind != "store":
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            with self.lock:
                self.busy -= 1

    def idle(self):
        with self.lock:
            return not self.busy

    def count(self):
        return len(self.open)
