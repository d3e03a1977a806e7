"""A lock for each request. The end is stored with every removal."""

import enum
import threading
import time


class Load(enum.IntEnum):
    FAILED = 0
    WAITING = 1
    DONE = 2


class Cranes:
    def __init__(self, dock):
        self.dock = dock
        self.loads = {}
        self.slings = {}
        self.locks = {}
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._lift, daemon=True).start()

    def take(self, load):
        with self.locks.setdefault(load, threading.RLock()):
            self.loads.setdefault(load, Load.WAITING)

    def _listen(self):
        while True:
            word, load = self.dock.hear()
            with self.locks.setdefault(load, threading.RLock()):
                if word == b"DROPPED":
                    self.slings.pop(load, None)
                    self.loads[load] = Load.FAILED
                else:
                    self.slings[load] = word

    def _lift(self):
        while True:
            load = self.dock.next_load()
            with self.locks.setdefault(load, threading.RLock()):
                if load not in self.slings:
                    continue
                if self.loads.get(load) != Load.FAILED:
                    self.loads[load] = Load.DONE

    def look(self, load, since):
        with self.locks.setdefault(load, threading.RLock()):
            if time.monotonic() - since > 60:
                return Load.FAILED
            return self.loads.get(load, Load.WAITING)
