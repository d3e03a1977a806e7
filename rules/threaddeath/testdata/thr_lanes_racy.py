"""Senders look an order up and hand it on to a clerk, who strikes it out; who is called off is
handed to the clerk as well.

Wrong: an order that is called off on its way comes to the clerk twice.
"""

import queue
import threading


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
        self.orders.put(rid)

    def call_off(self, rid):
        self.written.put(rid)

    def _send(self):
        while True:
            rid = self.orders.get()
            blocks = self.open.get(rid)
            if blocks is not None:
                self.wire.write(blocks)
            self.written.put(rid)

    def _file(self):
        while True:
            rid = self.written.get()
            del self.open[rid]  # want "open.rid."
