"""Threads of a ring count what they have sent, one after the other.

Right: each waits for an event of its own, and sets that of the next one when it has counted.
"""

import threading


class Ring:
    def __init__(self, wire, size):
        self.wire = wire
        self.turns = [threading.Event() for _ in range(size)]
        self.sent = 0
        for i in range(size):
            threading.Thread(target=self._work, args=(i,), daemon=True).start()
        self.turns[0].set()

    def _work(self, i):
        while True:
            self.turns[i].wait()
            self.turns[i].clear()
            self.wire.send(i)
            self.sent += 1
            if self.sent > 100:
                self.wire.flush()
                self.sent = 0
            self.turns[(i + 1) % len(self.turns)].set()
