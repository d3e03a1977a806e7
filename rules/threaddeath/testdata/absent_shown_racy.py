"""A desk shows the cards that it is asked for, through a decorator which is an object.

Racy: a card that is gone ends the desk. What the object tries is to say that there is a call,
not the call itself.
"""

import threading


class Announced:
    def __init__(self, method):
        self.method = method

    def __call__(self, *args):
        try:
            print("called")
        except Exception:
            pass
        return self.method(*args)


@Announced
def shown(cards, name):
    return cards[name]  # want "cards.name. is read without a look whether it is there"


class Desk:
    def __init__(self, bell):
        self.bell = bell
        self.cards = {}
        threading.Thread(target=self._serve, daemon=True).start()

    def file(self, name, card):
        self.cards[name] = card

    def burn(self, name):
        self.cards.pop(name, None)

    def _serve(self):
        while True:
            name = self.bell.recv()
            self.bell.send(shown(self.cards, name))
