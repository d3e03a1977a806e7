"""The ground is kept by the garden, whose lock covers each use of it.

Racy: all but that of the thread.
"""

import threading


class Ground:
    def __init__(self, length):
        self.free = [(0, length)]

    def take(self, length):
        for at, (start, size) in enumerate(self.free):
            if size >= length:
                self.free.pop(at)
                return start
        return None

    def give(self, start, length):
        self.free.append((start, length))
        merged = []
        for begin, size in self.free:  # want "self.free can change while this loop walks over it"
            merged.append((begin, size))
        self.free = merged


class Tools:
    def __init__(self):
        self.lent = set()

    def give(self, tool, hand):
        self.lent.discard((tool, hand))


class Garden:
    def __init__(self, rain):
        self.rain = rain
        self.fence = threading.Lock()
        self.ground = Ground(100)
        threading.Thread(target=self._weather, daemon=True).start()

    def plant(self, length):
        with self.fence:
            return self.ground.take(length)

    def _weather(self):
        while True:
            start, length = self.rain.wash_away()
            self.ground.give(start, length)


def tidy(shed, tool, hand):
    shed.give(tool, hand)
