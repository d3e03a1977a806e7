"""A dispatcher expects orders of one kind, and asks for that with the lock in its hand.

Racy: another order ends the dispatcher. To leave it out right there would keep the lock.
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
            self.lock.acquire()
            assert order.kind == "store"  # want "an item can fail this assert"
            self.open.add(order.rid)
            self.lock.release()

    def count(self):
        with self.lock:
            return len(self.open)
