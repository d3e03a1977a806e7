"""One card has a number of its own, which messages can name as well.

KV201: not excluded, for the model does not know that the message can name it.
"""

import threading


class Desk:
    def __init__(self, bell):
        self.bell = bell
        self.cards = {}
        threading.Thread(target=self._clear, daemon=True).start()

    def add(self, number, card):
        self.cards[number] = card

    def first(self):
        if "first" in self.cards:
            return self.cards["first"]
        return None

    def _clear(self):
        while True:
            self.cards.pop(self.bell.wait(), None)
