"""Keys that a loop has collected from a copy, removed one by one.

Racy: forget() can remove one of them in between.
"""

import threading
import time


class Lockers:
    def __init__(self, porter):
        self.porter = porter
        self.since = {}
        threading.Thread(target=self._sweep, daemon=True).start()

    def send(self, locker):
        self.since[locker] = time.monotonic()

    def _sweep(self):
        while True:
            time.sleep(1)
            now = time.monotonic()
            old = []
            for locker, since in list(self.since.items()):
                if now - since > 60:
                    old.append(locker)
            for locker in old:
                del self.since[locker]  # want "since.locker. is taken from a copy, then removed"

    def forget(self, locker):
        self.since.pop(locker, None)
