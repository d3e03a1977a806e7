"""A kennel keeps its dogs, how many of each breed were adopted, how often each door was mended,
and which one sticks.

Right: the counts are for the yearly report and stay; there are only as many doors as the list has.
"""

import threading


class Kennel:
    def __init__(self, doors):
        self.lock = threading.Lock()
        self.doors = list(doors)
        self.dogs = {}
        self.adopted = {}
        self.mended = {}
        self.stuck = {}

    def arrive(self, name, dog):
        with self.lock:
            self.dogs[name] = dog
            self._count(self.adopted, dog.breed)

    @staticmethod
    def _count(counts, breed):
        counts[breed] = counts.get(breed, 0) + 1

    def leave(self, name):
        with self.lock:
            self.dogs.pop(name, None)

    def mend(self, number, door):
        with self.lock:
            self.doors[number] = door
            self.mended[number] = self.mended.get(number, 0) + 1
            self.stuck[number] = door

    def works(self, number):
        with self.lock:
            if self.mended.get(number, 0) > 3:
                return False
            return self.stuck.pop(number, None) is None

    def report(self):
        with self.lock:
            return dict(self.adopted)
