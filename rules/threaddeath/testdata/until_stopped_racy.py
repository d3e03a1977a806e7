"""A dispatcher looks after its ledger before it takes an order, until it is stopped.

Racy: a ledger that is away for a moment ends the dispatcher. It has to wait a moment and look
again, and end at once when it is stopped meanwhile.
"""

import queue
import threading


class Dispatcher:
    def __init__(self, ledger):
        self.ledger = ledger
        self.stop = threading.Event()
        self.orders = queue.Queue()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while not self.stop.is_set():
            self._look()
            order = self.orders.get()
            self.open.add(order.rid)

    def _look(self):
        if not self.ledger.alive():
            raise RuntimeError("the ledger is away")  # want "an item can lead to this RuntimeError"

    def put(self, order):
        self.orders.put(order)

    def count(self):
        return len(self.open)
