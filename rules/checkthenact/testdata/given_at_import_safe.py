"""A module gives its class two methods when it is imported; the removal takes what is there."""

import threading


class Kilns:
    def __init__(self, oven):
        self.oven = oven
        self.pots = {}
        threading.Thread(target=self._fire, daemon=True).start()

    def load(self, pot, glaze):
        self.pots[pot] = glaze


def fire(kilns):
    while True:
        pot = kilns.oven.next_done()
        if pot in kilns.pots:
            kilns.pots.pop(pot, None)


def break_pot(kilns, pot):
    kilns.pots.pop(pot, None)


Kilns._fire = fire
Kilns.break_pot = break_pot
