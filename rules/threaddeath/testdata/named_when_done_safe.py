"""A sender looks each order up, writes it, and hands a new one with the same number on to a clerk who
files it away. Orders are named tuples.

Right: each order is entered before it is queued, and whoever takes it out has it from the sender,
who is done with it.
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
            self.wire.write(self.open[order.rid])
            self.written.put(Order(order.rid, None))

    def _file(self):
        while True:
            rid, _ = self.written.get()
            self.open.pop(rid, None)
