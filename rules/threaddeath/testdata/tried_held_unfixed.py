"""A dispatcher takes the lock by hand, if it gets it within a second, and goes on without.

Racy: an order of another kind ends the thread. Nobody can tell there whether the lock is held.
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
            self.lock.acquire(timeout=1)
            if order.kind != "store":
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            if self.lock.locked():
                self.lock.release()

    def count(self):
        return len(self.open)
