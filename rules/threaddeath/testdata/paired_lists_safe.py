"""A writer merges the offsets of each order before it writes.

Right: the merge checks that its lists belong together, and the one caller makes both
of one length; no order changes that.
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
            starts, sizes = self._offsets(order.blocks)
            self.written[order.rid] = self.disk.write(self._merge(starts, sizes))

    def _offsets(self, blocks):
        starts = [0] * len(blocks)
        sizes = [4096] * len(blocks)
        for at, block in enumerate(blocks):
            starts[at] = block * 4096
        return starts, sizes

    def _merge(self, starts, sizes):
        n = len(starts)
        if not (n == len(sizes)):
            raise ValueError("not of one length")
        return list(zip(starts, sizes))
