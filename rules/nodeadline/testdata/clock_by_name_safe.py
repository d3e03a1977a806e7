"""Parcels on their way: the customer asks how far one is.

Right: it is lost after a while.
"""

import threading
from time import monotonic, time


class Parcels:
    def __init__(self, road):
        self.road = road
        self.opened = time()
        self.lock = threading.Lock()
        self.legs = {}
        self.late = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, number):
        with self.lock:
            self.late[number] = monotonic() + 60
            self.legs[number] = "rolling"

    def _listen(self):
        while True:
            number = self.road.hear()
            with self.lock:
                if self.legs.get(number) == "rolling":
                    self.legs[number] = "there"

    def poll(self, number):
        with self.lock:
            if self.legs.get(number) == "rolling" and monotonic() > self.late[number]:
                self.legs[number] = "lost"
            return self.legs.get(number, "lost")

    def abort(self, number):
        with self.lock:
            if number in self.legs:
                self.legs[number] = "lost"

    def clear(self, number):
        with self.lock:
            self.legs.pop(number, None)
            self.late.pop(number, None)
