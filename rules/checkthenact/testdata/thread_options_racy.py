"""The options of a thread are in a dict, and what it runs among them."""

import threading


class Mills:
    def __init__(self, wind):
        self.wind = wind
        self.sails = {}
        options = {"target": self._turn, "daemon": True}
        threading.Thread(**options).start()

    def set_sail(self, mill, sail):
        self.sails[mill] = sail

    def furl(self, mill):
        self.sails.pop(mill, None)

    def _turn(self):
        while True:
            mill = self.wind.gust()
            if mill in self.sails:
                self.sails[mill].turn()  # want "sails.mill. is tested, then read"
