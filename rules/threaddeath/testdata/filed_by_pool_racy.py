"""A sender gives the number of each order to a job that files it away, and looks the order up
after that.

Racy: a job that is faster ends the sender.
"""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor

class Order:
    def __init__(self, rid, blocks):
        self.rid = rid
        self.blocks = blocks


class Relay:
    def __init__(self, wire):
        self.wire = wire
        self.orders = queue.Queue()
        self.pool = ThreadPoolExecutor(4)
        self.open = {}
        threading.Thread(target=self._send, daemon=True).start()

    def submit(self, order):
        self.open[order.rid] = order.blocks
        self.orders.put(order)

    def _send(self):
        while True:
            order = self.orders.get()
            self.pool.submit(self._file, order.rid)
            self.wire.write(self.open[order.rid])  # want "open.order.rid."

    def _file(self, rid):
        self.wire.tell(rid)
        self.open.pop(rid, None)
