"""Statuses are ordered, and the setter keeps the greater of the old and the new.

Right: FAILED is the greatest, so nothing replaces it, and a poller that has seen DONE does not
ask again.
"""

import queue
import threading
from enum import IntEnum


class Rank(IntEnum):
    OPEN = 1
    MOVING = 2
    DONE = 3
    FAILED = 4


class Ladder:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.steps = queue.Queue()
        self.ranks = {}
        threading.Thread(target=self._climb, daemon=True).start()

    def start(self, rid):
        with self.lock:
            self.ranks[rid] = Rank.OPEN
        self.steps.put(rid)

    def _raise(self, rid, rank):
        with self.lock:
            old = self.ranks.get(rid)
            if old is not None and old != Rank.DONE:
                self.ranks[rid] = max(old, rank)

    def _climb(self):
        while True:
            rid = self.steps.get()
            if self.rank(rid) != Rank.OPEN:
                continue
            self._raise(rid, Rank.MOVING)
            try:
                self.engine.move(rid, timeout=5)
            except Exception:
                self._raise(rid, Rank.FAILED)
            else:
                self._raise(rid, Rank.DONE)

    def abort(self, rid):
        self._raise(rid, Rank.FAILED)

    def rank(self, rid):
        with self.lock:
            return self.ranks.get(rid, Rank.FAILED)

    def remove(self, rid):
        with self.lock:
            self.ranks.pop(rid, None)
