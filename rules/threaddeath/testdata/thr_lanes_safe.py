"""Senders, one for each lane, look an order up and hand it on to a clerk, who strikes it out; a
porter does both himself.

Right: each order is entered before it is queued, and goes through each hand once.
"""

import queue
import threading


class Relay:
    def __init__(self, wire, lanes=4):
        self.wire = wire
        self.lanes = [queue.Queue() for _ in range(lanes)]
        self.written = queue.Queue()
        self.open = {}
        for lane in self.lanes:
            threading.Thread(target=self._send, args=(lane,), daemon=True).start()
        threading.Thread(target=self._file, daemon=True).start()

    def submit(self, rid, blocks):
        self.open[rid] = blocks
        self.lanes[hash(rid) % len(self.lanes)].put(rid)

    def _send(self, lane):
        while True:
            rid = lane.get()
            self.wire.write(self.open[rid])
            self.written.put(rid)

    def _file(self):
        while True:
            rid = self.written.get()
            del self.open[rid]


class Porter:
    def __init__(self, wire):
        self.wire = wire
        self.parcels = queue.Queue()
        self.kept = {}
        threading.Thread(target=self._carry, daemon=True).start()

    def leave(self, parcel):
        self.kept[parcel.rid] = parcel.blocks
        self.parcels.put(parcel)

    def _carry(self):
        while True:
            parcel = self.parcels.get()
            blocks = self.kept.pop(parcel.rid)
            self.wire.write(blocks)
