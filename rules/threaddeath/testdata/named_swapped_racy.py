"""A sender hands an order on under the number of the one before it, and looks up its own. Orders are
named tuples.

Racy: the clerk who files them away may come to an order that is not written yet.
"""

import queue
import threading
from collections import namedtuple

Order = namedtuple("Order", "rid blocks")


class Relay:
    def __init__(self, wire):
        self.wire = wire
        self.orders = queue.Queue()
        self.written = queue.Queue()
        self.open = {}
        threading.Thread(target=self._send, daemon=True).start()
        threading.Thread(target=self._file, daemon=True).start()

    def submit(self, rid, blocks):
        self.open[rid] = blocks
        self.orders.put(Order(blocks, rid))

    def _send(self):
        while True:
            order = self.orders.get()
            self.wire.write(self.open[order.rid])  # want "open.order.rid."
            self.written.put(Order(order.rid, None))

    def _file(self):
        while True:
            rid, _ = self.written.get()
            self.open.pop(rid, None)
