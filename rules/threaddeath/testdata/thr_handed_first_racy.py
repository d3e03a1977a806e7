"""A sender hands each order on to a clerk who files it away, and looks it up after that.

Racy: a clerk who is faster takes the order out before the sender has looked, and the sender is
gone.
"""

import queue
import threading


class Order:
    def __init__(self, rid, blocks):
        self.rid = rid
        self.blocks = blocks


class Relay:
    def __init__(self, wire):
        self.wire = wire
        self.orders = queue.Queue()
        self.written = queue.Queue()
        self.open = {}
        threading.Thread(target=self._send, daemon=True).start()
        threading.Thread(target=self._file, daemon=True).start()

    def submit(self, order):
        self.open[order.rid] = order.blocks
        self.orders.put(order)

    def _send(self):
        while True:
            order = self.orders.get()
            self.written.put(order)
            self.wire.write(self.open[order.rid])  # want "open.order.rid."

    def _file(self):
        while True:
            order = self.written.get()
            self.open.pop(order.rid, None)
