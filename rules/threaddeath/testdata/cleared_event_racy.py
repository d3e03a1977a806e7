"""A dispatcher tells by an event that it has nothing to do.

Racy: an order of another kind ends the dispatcher. Whoever waits for the event has to see it
after such an order as well.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.idle = threading.Event()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.idle.clear()
            assert order.kind == "store"  # want "an item can fail this assert"
            self.open.add(order.rid)
            self.idle.set()

    def drain(self):
        self.idle.wait(10)

    def count(self):
        return len(self.open)
