"""A ferry that begins its day: the list of passengers is made anew, and then the boatman sets off.

Right: nobody else touches it once the boatman rows.
"""

import threading


class Ferry:
    def begin(self, river):
        self.river = river
        self.aboard = {}
        self.boatman = threading.Thread(target=self._row, daemon=True)
        self.boatman.start()

    def _row(self):
        while True:
            word, name = self.river.hear()
            if word == "aboard":
                self.aboard[name] = word
            elif name in self.aboard:
                del self.aboard[name]
