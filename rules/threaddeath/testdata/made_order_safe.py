"""A sender looks each order up, writes it, and hands it on to a clerk who files it away. Whoever
submits one makes it then, as a record.

Right: each order is entered before it is queued, and whoever takes it out has it from the sender,
who is done with it.
"""

import queue
import threading
from dataclasses import dataclass

@dataclass(frozen=True)
class Order:
    rid: str
    blocks: list


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
        self.orders.put(Order(rid, blocks))

    def _send(self):
        while True:
            order = self.orders.get()
            self.wire.write(self.open[order.rid])
            self.written.put(order)

    def _file(self):
        while True:
            order = self.written.get()
            self.open.pop(order.rid, None)
