"""A mill counts the sacks that it grinds, by assignments that name the count twice.

Racy: a sack that is sold before its turn ends the mill. The count goes down for that one as well.
"""

import threading


class Mill:
    def __init__(self, hopper):
        self.hopper = hopper
        self.busy = 0
        self.sacks = {}
        threading.Thread(target=self._grind, daemon=True).start()

    def fill(self, number, sack):
        self.sacks[number] = sack

    def sell(self, number):
        self.sacks.pop(number, None)

    def load(self):
        return self.busy

    def _grind(self):
        while True:
            number = self.hopper.recv()
            self.busy = self.busy + 1
            sack = self.sacks[number]  # want "sacks.number. is read without a look whether it is there"
            self.hopper.send(sack)
            self.busy = self.busy - 1
