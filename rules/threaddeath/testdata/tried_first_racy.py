"""A dispatcher gives an order up when it does not get the lock within a second.

Racy: an order of another kind ends the dispatcher, which holds the lock then.
"""

import threading


class Dispatcher:
    def __init__(self, inbox, wire):
        self.inbox = inbox
        self.wire = wire
        self.lock = threading.Lock()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            if not self.lock.acquire(timeout=1):
                continue
            assert order.kind == "store"  # want "an item can fail this assert"
            self.open.add(order.rid)
            self.lock.release()
            self.wire.tell(order.rid)

    def count(self):
        return len(self.open)
