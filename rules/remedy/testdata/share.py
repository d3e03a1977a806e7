"""A count that two threads change."""

import threading


class Gauge:
    def __init__(self, source):
        self.source = source
        self.used = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            size = self.source.get()
            self.used -= size  # second

    def take(self, size):
        if self.used + size > 5:
            return False
        self.used += size  # first
        return True
