"""Porters take bags off a cart, and a bag has a tag with the way to its room.

Racy: two porters can both see a bag before one of them has it.
"""

import queue
import threading


class Cart:
    def __init__(self, hotel):
        self.hotel = hotel
        self.bells = queue.Queue()
        self.tags = {}
        self.bags = {}
        for _ in range(2):
            threading.Thread(target=self._carry, daemon=True).start()

    def load(self, number, bag, tag):
        if number in self.tags:
            return  # the bag is on its way
        self.tags[number] = tag
        self.bags[number] = bag
        self.bells.put(number)

    def _carry(self):
        while True:
            number = self.bells.get()
            bag = self.bags.get(number)
            if bag is None:
                continue
            if number in self.tags:
                self.hotel.bring(bag, self.tags[number])  # want "tags.number. is tested, then read as if it were still there: "
                del self.tags[number]

    def unload(self, number):
        if self.bags.pop(number, None) is not None:
            del self.tags[number]  # want "tags.number. is taken for present, then removed as if it were still there: Cart._carry can"
