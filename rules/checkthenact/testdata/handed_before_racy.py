"""A sender tests whether an order is open, hands it on to a clerk, and writes it.

Racy: the clerk may have taken the order out by then.
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
        self.orders.put((rid, len(blocks)))

    def _send(self):
        while True:
            rid, size = self.orders.get()
            if rid in self.open:
                self.written.put(rid)
                self.wire.reserve(size)
                self.wire.write(self.open[rid])  # want "open.rid."

    def _file(self):
        while True:
            rid = self.written.get()
            self.open.pop(rid, None)
