"""A listener sweeps what is done from a list, and tells the others at which place they stand.

Racy: the one behind a removed one is skipped. A walk from the end would tell the places of
before the sweep, so how to mend it is for a person to say.
"""

import threading


class Book:
    def __init__(self, link):
        self.link = link
        self.rows = []
        threading.Thread(target=self._listen, daemon=True).start()

    def add(self, row):
        self.rows.append(row)

    def _listen(self):
        while True:
            self.link.recv()
            self.sweep()

    def sweep(self):
        for place, row in enumerate(self.rows):  # want "the loop over self.rows changes it"
            if row.done:
                self.rows.pop(place)
            else:
                row.place = place
