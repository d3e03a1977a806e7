"""A sender looks each order up that a peer names, and hands it on to a clerk who files it away.

Racy: a peer may name an order twice, and the clerk has taken it out after the first time.
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
        self.written = queue.Queue()
        self.open = {}
        threading.Thread(target=self._send, daemon=True).start()
        threading.Thread(target=self._file, daemon=True).start()

    def submit(self, order):
        self.open[order.rid] = order.blocks

    def _send(self):
        while True:
            order = self.wire.read()
            self.wire.write(self.open[order.rid])  # want "open.order.rid."
            self.written.put(order)

    def _file(self):
        while True:
            order = self.written.get()
            self.open.pop(order.rid, None)
