"""A hook sums over a deque that a timer thread takes from."""

import threading
from collections import deque


class Backlog:
    def __init__(self):
        self.parts = deque()
        threading.Timer(1.0, self._drain).start()

    def _drain(self):
        while self.parts:
            self.parts.popleft().send()
        threading.Timer(1.0, self._drain).start()

    def add(self, part):
        self.parts.append(part)

    def size(self):
        return sum(p.size for p in self.parts)  # want "self.parts can change"
