"""A bakery counts the loaves that are ordered, and takes each off the count when it is baked.

Racy: an order that is called off before its turn ends the baker. That one comes off the
count as well.
"""

import threading


class Bakery:
    def __init__(self, counter):
        self.counter = counter
        self.ordered = 0
        self.loaves = {}
        threading.Thread(target=self._bake, daemon=True).start()

    def order(self, ticket, loaf):
        self.ordered += 1
        self.loaves[ticket] = loaf

    def call_off(self, ticket):
        self.loaves.pop(ticket, None)

    def waiting(self):
        return self.ordered

    def _bake(self):
        while True:
            ticket = self.counter.recv()
            loaf = self.loaves[ticket]  # want "loaves.ticket. is read without a look whether it is there"
            self.counter.send(loaf)
            self.ordered -= 1
