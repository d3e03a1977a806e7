"""A dispatcher takes a slot for each order, and the worker that gets the order gives it back.

Racy: an order of another kind ends the dispatcher. Whoever logs that and goes on gives the slot
back, since no worker gets the order: a few such orders would block the dispatcher for ever.
"""

import threading


class Dispatcher:
    def __init__(self, inbox, pool):
        self.inbox = inbox
        self.pool = pool
        self.slots = threading.Semaphore(4)
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.slots.acquire()
            if order.kind != "store":
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.pool.submit(self._store, order)

    def _store(self, order):
        try:
            self.open.add(order.rid)
        finally:
            self.slots.release()

    def count(self):
        return len(self.open)
