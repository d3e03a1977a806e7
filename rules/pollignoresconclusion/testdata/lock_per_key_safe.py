"""A lock for each request, made by whoever comes first: what threads put there is no note."""

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

    def _of(self, load):
        return self.locks.setdefault(load, threading.RLock())

    def take(self, load):
        with self._of(load):
            self.loads[load] = Load.WAITING
            self.slings[load] = self.dock.sling()

    def _listen(self):
        while True:
            word, load = self.dock.hear()
            with self.locks.setdefault(load, threading.RLock()):
                if word == b"DROPPED" and self.slings.pop(load, None) is not None:
                    self.loads[load] = Load.FAILED
                elif load in self.slings:
                    self.loads[load] = Load.DONE

    def look(self, load, since):
        with self._of(load):
            if time.monotonic() - since > 60:
                return Load.FAILED
            return self.loads.get(load, Load.FAILED)
