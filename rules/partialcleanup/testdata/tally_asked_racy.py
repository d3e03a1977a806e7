"""A kennel keeps its dogs, and how often each was adopted.

Wrong: the counts decide who may come again, and grow with every name.
"""

import threading


class Kennel:
    def __init__(self):
        self.lock = threading.Lock()
        self.dogs = {}
        self.adopted = {}

    def arrive(self, name, dog):
        with self.lock:
            self.dogs[name] = dog
            self._count(self.adopted, name)

    @staticmethod
    def _count(counts, name):
        counts[name] = counts.get(name, 0) + 1  # want "never removed"

    def leave(self, name):
        with self.lock:
            self.dogs.pop(name, None)

    def may_come(self, name):
        with self.lock:
            return self.adopted.get(name, 0) < 3
