"""A ferry that begins its day: the list of passengers is made anew, and then the boatman sets off.

Racy: the list is made anew once more, while the boatman is at it already.
"""

import threading


class Ferry:
    def begin(self, river):
        self.river = river
        self.aboard = {}
        self.boatman = threading.Thread(target=self._row, daemon=True)
        self.boatman.start()
        self.aboard = {}

    def _row(self):
        while True:
            word, name = self.river.hear()
            if word == "aboard":
                self.aboard[name] = word
            elif name in self.aboard:
                del self.aboard[name]  # want "aboard.name. is tested, then removed as if it were still there: Ferry.begin can remove it"
