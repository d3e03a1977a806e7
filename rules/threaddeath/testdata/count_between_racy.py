"""A dispatcher counts the orders that it works at, and tells its wire of each one afterwards.

Racy: an order of another kind ends the dispatcher. Whoever logs that and goes on takes the count
down for this one as well, or close() waits for ever.
"""

import threading
import time


class Dispatcher:
    def __init__(self, inbox, wire):
        self.inbox = inbox
        self.wire = wire
        self.busy = 0
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.busy += 1
            assert order.kind == "store"  # want "an item can fail this assert"
            self.open.add(order.rid)
            self.busy -= 1
            self.wire.tell(order.rid)

    def close(self):
        while self.busy:
            time.sleep(0.1)

    def count(self):
        return len(self.open)
