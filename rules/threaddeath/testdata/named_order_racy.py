"""A sender hands a new order with the same number on to a clerk who files it away, and looks it up
after that. Orders are named tuples.

Racy: a clerk who is faster ends the sender.
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
        self.orders.put(Order(rid, blocks))

    def _send(self):
        while True:
            order = self.orders.get()
            self.written.put(Order(order.rid, None))
            self.wire.write(self.open[order.rid])  # want "open.order.rid."

    def _file(self):
        while True:
            rid, _ = self.written.get()
            self.open.pop(rid, None)
