"""A garage notes in sets which cars stand on which floor.

Racy: the floor above is made by the look-up when nobody has parked there.
"""

from collections import defaultdict


class Garage:
    def __init__(self):
        self.floors = defaultdict(set)

    def park(self, floor, car):
        self.floors[floor].add(car)

    def fetch(self, car):
        for floor in self.floors:  # want "the loop over self.floors changes it"
            above = floor + 1
            if car in self.floors[above]:
                self.floors[above].remove(car)

    def clear(self, floor):
        self.floors.pop(floor, None)
