"""A sender looks each order up, writes it, and hands it on to a clerk who files it away; orders
that cannot be written go to another one.

Right: an order is entered before it is queued, and whoever takes it out has it from the sender,
who is done with it.
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
        self.failed = queue.Queue()
        self.open = {}
        threading.Thread(target=self._send, daemon=True).start()
        threading.Thread(target=self._file, daemon=True).start()
        threading.Thread(target=self._drop, daemon=True).start()

    def submit(self, order):
        self.open[order.rid] = order.blocks
        self.orders.put(order)

    def _send(self):
        while True:
            order = self.orders.get()
            if not self.wire.up():
                self.failed.put((order.rid, "down"))
                continue
            self.wire.write(self.open[order.rid])
            self.written.put(order)

    def _file(self):
        while True:
            order = self.written.get()
            self.open.pop(order.rid, None)

    def _drop(self):
        while True:
            rid, why = self.failed.get()
            self.wire.tell(rid, why)
            self.open.pop(rid, None)
