"""A connector sends or receives, as it is told when it is made.

Racy: whoever turns a connector drops lines while its writer still uses them.
"""

import queue
import threading


class Connector:
    def __init__(self, sends):
        self.sends = sends
        self.lines = {}
        self.orders = queue.Queue()

    def save(self, order):
        if not self.sends:
            return
        threading.Thread(target=self._write, daemon=True).start()
        self.orders.put(order)

    def _write(self):
        while True:
            order = self.orders.get()
            if order.peer not in self.lines:
                self.lines[order.peer] = open(order.peer, "w")
            self.lines[order.peer].write(order.text)  # want "lines.* can remove it"

    def finish(self, peer):
        if self.sends:
            return
        self.lines.pop(peer, None)


class Turning(Connector):
    def turn(self):
        self.sends = not self.sends
