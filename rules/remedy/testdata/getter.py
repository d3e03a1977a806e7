"""Functions that return an entry to others."""

import threading


class Board:
    def __init__(self, bell):
        self.bell = bell
        self.lamps = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def add(self, name, lamp):
        self.lamps[name] = lamp

    def remove(self, name):
        del self.lamps[name]

    def _lamp(self, name):
        return self.lamps[name]  # strict

    def _pair(self, name):
        return self.lamps[name], name  # strict

    def _bulb(self, name):
        return self.lamps[name]  # strict

    def _watch(self):
        while True:
            name = self.bell.wait()
            if self._lamp(name) == "red":
                self.bell.ring()
            if self._bulb(name) == "red":
                self._bulb(name).dim()
            first, second = self._pair(name)
            self.bell.ring(first, second)
