"""A writer merges the offsets of each order before it writes.

Racy: an order without blocks raises, and the writer is gone.
"""

import queue
import threading


class Writer:
    def __init__(self, disk):
        self.disk = disk
        self.orders = queue.Queue()
        self.written = {}
        threading.Thread(target=self._run, daemon=True).start()

    def submit(self, order):
        self.orders.put(order)

    def take(self, rid):
        return self.written.pop(rid, None)

    def _run(self):
        while True:
            order = self.orders.get()
            self.written[order.rid] = self.disk.write(self._merge(order.blocks))

    def _merge(self, blocks):
        if len(blocks) == 0:
            raise ValueError("nothing to write")  # want "an item can lead to this ValueError"
        return [block * 4096 for block in blocks]
