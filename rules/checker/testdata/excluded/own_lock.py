"""Each decorated method has a lock of its own.

KV201: found.
"""

import threading


def locked(method):
    lock = threading.Lock()

    def inner(*args):
        with lock:
            return method(*args)

    return inner


class Desk:
    def __init__(self, bell):
        self.bell = bell
        self.cards = {}
        threading.Thread(target=self._clear, daemon=True).start()

    def add(self, number, card):
        self.cards[number] = card

    @locked
    def show(self, number):
        if number in self.cards:
            return self.cards[number]
        return None

    @locked
    def drop(self, number):
        self.cards.pop(number, None)

    def _clear(self):
        while True:
            self.drop(self.bell.wait())
