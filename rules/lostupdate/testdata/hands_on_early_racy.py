"""Threads of a ring count what they have sent, one after the other.

Racy: a thread sets the event of the next one before it counts, so that two of them count at once.
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
            self.turns[(i + 1) % len(self.turns)].set()
            self.wire.send(i)
            self.sent += 1  # want "sent is read, changed and written back"
            if self.sent % 100 == 0:
                self.wire.flush()
