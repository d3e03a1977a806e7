"""A garage notes in sets which cars stand on which floor.

Right: what the loop looks up are the floors that it walks over; a look-up of these makes none.
"""

from collections import defaultdict


class Garage:
    def __init__(self):
        self.floors = defaultdict(set)

    def park(self, floor, car):
        self.floors[floor].add(car)

    def fetch(self, car):
        for floor in self.floors:
            found = list(filter(lambda c: c == car, self.floors[floor]))
            for one in found:
                self.floors[floor].remove(one)

    def clear(self, floor):
        self.floors.pop(floor, None)
