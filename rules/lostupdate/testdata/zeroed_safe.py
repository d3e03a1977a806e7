"""A meter that clerks count up and a reporter sets back.

Right: whoever stores a count holds the lock.
"""

import threading


class Meter:
    def __init__(self, wire):
        self.wire = wire
        self.sent = 0
        self.lock = threading.Lock()
        for _ in range(2):
            threading.Thread(target=self._count, daemon=True).start()
        threading.Thread(target=self._report, daemon=True).start()

    def _count(self):
        while True:
            self.wire.wait()
            with self.lock:
                self.sent += 1

    def _report(self):
        while True:
            self.wire.tick()
            with self.lock:
                full = self.sent > 100
                if full:
                    self.sent = 0
            if full:
                self.wire.flush()
