"""A dispatcher has its orders noted by a method that takes the lock by hand.

Racy: an order of another kind ends the thread. To log and go on alone would keep the lock
for ever.
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
            self.note(order)

    def note(self, order):
        self.lock.acquire()
        if order.kind == "store":
            self.open.add(order.rid)
        else:
            raise ValueError(order.kind)  # want "an item can lead to this ValueError"
        self.lock.release()

    def count(self):
        with self.lock:
            return len(self.open)
