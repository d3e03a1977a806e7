"""A consumer whose poll() takes in the notices of all consumers and then looks at its own parcel.

Right: it gives up a while after it has asked, whether anything has come or not.
"""

import time
from collections import defaultdict
from dataclasses import dataclass, field
from enum import IntEnum
from threading import Thread
from typing import Dict, Optional, Set


class Stage(IntEnum):
    Broken = 0
    Waiting = 1
    Moving = 2
    Complete = 3


@dataclass
class Parcel:
    pages: Set[int] = field(default_factory=set)
    expected: Optional[int] = None

    def over(self):
        return self.expected == -1 or self.expected == len(self.pages)


class Depot:
    def __init__(self, line):
        self.line = line
        self.stages: Dict[int, Stage] = {}
        self.parcels: Dict[int, Parcel] = defaultdict(Parcel)
        self.rooms_of: Dict[str, Set[int]] = defaultdict(set)
        self.misses: Dict[str, int] = {}
        Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            time.sleep(5)
            for depot in list(self.rooms_of):
                if self.line.alive(depot):
                    self.misses[depot] = 0
                    continue
                self.misses[depot] = self.misses.get(depot, 0) + 1
                if self.misses[depot] < 3:
                    continue
                for room in list(self.rooms_of[depot]):
                    if room in self.parcels and not self.parcels[room].over():
                        self.parcels[room].expected = -1

    def take_notices(self):
        for notice in self.line.notices():
            room, page, total = notice.decode().split(":")
            self.parcels[int(room)].pages.add(int(page))
            if total:
                self.parcels[int(room)].expected = int(total)


class Consumer:
    def __init__(self, depot: Depot, peer, room):
        self.depot = depot
        self.room = room
        self.stage = None
        self.asked = False
        self.asked_at = 0.0
        depot.stages[room] = Stage.Waiting
        depot.rooms_of[peer].add(room)

    def ask(self, pages):
        self.depot.line.send(self.room, pages)
        self.depot.stages[self.room] = Stage.Moving
        self.asked = True
        self.asked_at = time.monotonic()

    def poll(self):
        if self.stage is not None:
            return self.stage
        if not self.asked:
            return Stage.Waiting
        if time.monotonic() - self.asked_at > 60:
            self.stage = Stage.Broken
            return self.stage
        self.depot.take_notices()
        if self.room in self.depot.parcels and self.depot.parcels[self.room].over():
            broken = self.depot.parcels[self.room].expected == -1
            self.stage = Stage.Broken if broken else Stage.Complete
            del self.depot.parcels[self.room]
            return self.stage
        return Stage.Waiting
