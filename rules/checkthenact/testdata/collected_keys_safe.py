"""Keys that a loop has collected from a copy, removed one by one, whether they are there or not."""

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
                self.since.pop(locker, None)

    def forget(self, locker):
        self.since.pop(locker, None)
