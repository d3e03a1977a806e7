"""Parcels on their way: the customer asks how far one is.

Wrong: of one that has fallen off the cart nobody hears again, and the customer asks for ever. The name
of the module is taken by its function here.
"""

import threading
from time import time


class Parcels:
    def __init__(self, road):
        self.road = road
        self.opened = time()
        self.lock = threading.Lock()
        self.legs = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, number):
        with self.lock:
            self.legs[number] = "rolling"

    def _listen(self):
        while True:
            number = self.road.hear()
            with self.lock:
                if self.legs.get(number) == "rolling":
                    self.legs[number] = "there"

    def poll(self, number):  # want "Parcels.poll never looks at the clock"
        with self.lock:
            return self.legs.get(number, "lost")

    def abort(self, number):
        with self.lock:
            if number in self.legs:
                self.legs[number] = "lost"

    def clear(self, number):
        with self.lock:
            self.legs.pop(number, None)
