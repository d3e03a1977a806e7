"""A sender looks each order up, writes it, and gives its number to a job that files it away. Whoever
cancels an order starts such a job as well.

Racy: an order that is cancelled before the sender comes to it ends the sender.
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
            self.wire.write(self.open[order.rid])  # want "open.order.rid."
            self.pool.submit(self._file, order.rid)

    def cancel(self, rid):
        self.pool.submit(self._file, rid)

    def _file(self, rid):
        self.wire.tell(rid)
        self.open.pop(rid, None)
