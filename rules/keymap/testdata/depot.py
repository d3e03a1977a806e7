"""A store that does everything to its containers once."""

import threading
from collections import defaultdict


class Stage:
    OPEN = 0
    SENT = 1
    LOST = 2


class Depot:
    def __init__(self, wire):
        self.wire = wire
        self.stages = {}
        self.parcels = {}
        self.stops = defaultdict(list)
        self.held = set()
        self.settings = {"size": 4}
        self.bad = set()
        self.lock = threading.Lock()
        threading.Thread(target=self.listen).start()
        for lane in range(self.settings["size"]):
            threading.Thread(target=self.carry, args=(lane,)).start()

    def open(self, tag, parcel):
        self.stages[tag] = Stage.OPEN
        self.parcels.setdefault(tag, parcel)
        self.stops[tag].append(parcel.stop)
        with self.lock:
            self.held.add(tag)

    def listen(self):
        while True:
            kind, tag = self.wire.next()
            if kind == "lost":
                self._drop(tag)
                self.bad.update(self.wire.blocks(tag))
            elif tag not in self.parcels:
                continue
            else:
                self.parcels[tag] += 1
                if tag in self.held:
                    self.held.remove(tag)

    def _drop(self, tag):
        with self.lock:
            self.held.discard(tag)
        if tag in self.stages:
            self._set(tag, Stage.LOST)
        self.parcels.pop(tag, None)

    def _set(self, tag, stage):
        self.stages[tag] = stage

    def carry(self, lane):
        while True:
            tag = self.wire.job(lane)
            parcel = self.parcels.get(tag)
            if parcel is None:
                continue
            for stop in self.stops[tag]:
                self.wire.push(stop, parcel)
            self._set(tag, Stage.SENT)

    def poll(self, tag):
        stage = self.stages.get(tag, Stage.OPEN)
        if stage == Stage.LOST:
            return Stage.LOST
        if stage == Stage.SENT:
            return Stage.SENT
        return stage

    def sweep(self):
        for tag in list(self.stages):
            if self.stages[tag] == Stage.SENT:
                del self.stages[tag]
        with self.lock:
            held, self.held = self.held, set()
        for tag in held:
            del self.stops[tag]

    def take_bad(self):
        bad, self.bad = self.bad, set()
        return bad

    def reset(self):
        if self.stages:
            self.stages.clear()
        self.parcels = {}
