"""A sender looks each order up; what is left when it has ended is dropped.

Right: close() waits for the sender before it takes anything out.
"""

import queue
import threading


class Relay:
    def __init__(self, wire):
        self.wire = wire
        self.orders = queue.Queue()
        self.open = {}
        self.sender = threading.Thread(target=self._send, daemon=True)
        self.sender.start()

    def submit(self, rid, blocks):
        self.open[rid] = blocks
        self.orders.put(rid)

    def _send(self):
        while True:
            rid = self.orders.get()
            if rid is None:
                return
            self.wire.write(self.open[rid])

    def close(self):
        self.orders.put(None)
        self.sender.join()
        for rid in list(self.open):
            del self.open[rid]
