"""Workers count pieces in a defaultdict, without a lock, and drop the count with the last piece.

Right: the pieces of a request all go to one worker, in order, and the last one drops the count.
"""

import queue
import threading
from collections import defaultdict


class Piece:
    def __init__(self, rid, last):
        self.rid = rid
        self.last = last


class Cutter:
    def __init__(self, report, lanes):
        self.report = report
        self.counts = defaultdict(int)
        self.lanes = [queue.Queue() for _ in range(lanes)]
        for lane in self.lanes:
            threading.Thread(target=self._count, args=(lane,), daemon=True).start()

    def cut(self, rid, pieces):
        lane = self.lanes[hash(rid) % len(self.lanes)]
        for number in range(pieces):
            lane.put(Piece(rid, number == pieces - 1))

    def _count(self, lane):
        while True:
            piece = lane.get()
            self.counts[piece.rid] += 1
            if piece.last:
                self.report(piece.rid, self.counts.pop(piece.rid, 0))
