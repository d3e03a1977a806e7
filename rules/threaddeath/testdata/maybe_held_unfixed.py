"""A dispatcher takes the lock by hand, for urgent orders alone.

Racy: an order of another kind ends the thread. Whether the lock is held where the order is
refused depends on the order, so what to give back there is for a person to say.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            if order.urgent:
                self.lock.acquire()
            if order.kind != "store":
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            if order.urgent:
                self.lock.release()

    def count(self):
        return len(self.open)
