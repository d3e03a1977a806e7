"""Porters take a bag off the cart before they look at its tag.

KV201: excluded. A bag is taken off once, and whoever has it has the tag.
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
            return
        self.tags[number] = tag
        self.bags[number] = bag
        self.bells.put(number)

    def _carry(self):
        while True:
            number = self.bells.get()
            bag = self.bags.pop(number, None)
            if bag is None:
                continue
            if number in self.tags:
                self.hotel.bring(bag, self.tags[number])
                del self.tags[number]

    def unload(self, number):
        if self.bags.pop(number, None) is not None:
            del self.tags[number]

    def strike(self):
        self.bags = {}
