"""A sweep removes from the list that it walks over: the neighbour of each is skipped."""

import threading
import time
from collections import defaultdict


class Tracker:
    def __init__(self):
        self.live = {}
        self.rooms = defaultdict(list)
        threading.Thread(target=self._sweep, args=("all",)).start()

    def _sweep(self, addr):
        while True:
            for room in self.rooms[addr]:  # want "the loop over self.rooms.addr. changes it: removes"
                if room not in self.live:
                    self.rooms[addr].remove(room)
            time.sleep(5)

    def add(self, addr, room):
        self.live[room] = addr
        self.rooms[addr].append(room)

    def done(self, room):
        self.live.pop(room, None)
