"""Threads of a ring count what they have sent, one after the other.

Right: a condition says whose turn it is, and a thread gives the turn to the next one when it has
counted.
"""

import threading


class Ring:
    def __init__(self, wire, size):
        self.wire = wire
        self.size = size
        self.changed = threading.Condition()
        self.turn = 0
        self.sent = 0
        for i in range(size):
            threading.Thread(target=self._work, args=(i,), daemon=True).start()

    def _work(self, i):
        while True:
            with self.changed:
                while self.turn != i:
                    self.changed.wait()
            self.wire.send(i)
            self.sent += 1
            if self.sent % 100 == 0:
                self.wire.flush()
            with self.changed:
                self.turn = (i + 1) % self.size
                self.changed.notify_all()
