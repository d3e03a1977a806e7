"""A dispatcher handles what it reads, in one statement.

Racy: an order of another kind ends the dispatcher. The next read waits by itself, so that whoever
goes on need not.
"""

import threading


class Dispatcher:
    def __init__(self, wire):
        self.wire = wire
        self.kinds = ("store",)
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            self._handle(self.wire.read())

    def _handle(self, order):
        if order.kind not in self.kinds:
            raise ValueError(order.kind)  # want "an item can lead to this ValueError"
        self.open.add(order.rid)

    def count(self):
        return len(self.open)
