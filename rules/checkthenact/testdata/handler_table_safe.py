"""Threads run what a table of handlers names; each takes what is there."""

import threading


class Posts:
    def __init__(self, road):
        self.road = road
        self.riders = {}
        self.duties = {"relay": self._relay, "watch": self._watch}
        for name, duty in self.duties.items():
            threading.Thread(target=duty, name=name, daemon=True).start()

    def mount(self, letter, rider):
        self.riders[letter] = rider

    def _relay(self):
        while True:
            letter = self.road.arrival()
            if letter in self.riders:
                self.riders.pop(letter, None)

    def _watch(self):
        while True:
            letter = self.road.fall()
            self.riders.pop(letter, None)
