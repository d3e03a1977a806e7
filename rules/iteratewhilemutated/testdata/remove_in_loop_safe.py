"""The sweep walks over a copy of the set and discards."""

import threading
import time
from collections import defaultdict


class Tracker:
    def __init__(self):
        self.live = {}
        self.rooms = defaultdict(set)
        threading.Thread(target=self._sweep, args=("all",)).start()

    def _sweep(self, addr):
        while True:
            for room in self.rooms[addr].copy():
                if room not in self.live:
                    self.rooms[addr].discard(room)
            time.sleep(5)

    def add(self, addr, room):
        self.live[room] = addr
        self.rooms[addr].add(room)

    def done(self, room):
        self.live.pop(room, None)
