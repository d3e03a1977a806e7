"""A box of results that a thread writes out and empties.

Right: the thread takes the results out one by one, and looks whether one is urgent in what it has
taken.
"""

import threading


class Box:
    def __init__(self, wire):
        self.wire = wire
        self.done = set()
        threading.Thread(target=self._flush, daemon=True).start()

    def finish(self, rid):
        self.done.add(rid)

    def _flush(self):
        while True:
            self.wire.wait()
            taken = []
            while self.done:
                taken.append(self.done.pop())
            for rid in taken:
                if self.wire.urgent(rid):
                    break
            self.wire.send(taken)
