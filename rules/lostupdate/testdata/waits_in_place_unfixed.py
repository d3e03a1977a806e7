"""A gate counts what is used, and a listener counts it down by what a message says.

Racy: the count of one is overwritten by the other. To hold a lock for the statement of the
listener would be to hold it until a message comes.
"""

import threading


class Gate:
    def __init__(self, link):
        self.link = link
        self.used = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            self.used -= self.link.recv()

    def ask(self, n):
        while self.used + n > 10:
            self.link.poke()
        self.used += n  # want "used is read, changed and written back"
        return self.used
