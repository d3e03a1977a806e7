"""A box of results that a thread writes out and empties.

Racy: before it empties the box, the thread looks whether one of the results is urgent, but only
until it has found one. Results that come meanwhile are in neither the copy nor the box.
"""

import threading


class Box:
    def __init__(self, wire):
        self.wire = wire
        self.done = set()
        threading.Thread(target=self._flush, daemon=True).start()

    def finish(self, rid):
        self.done.add(rid)  # want "what is added to done here can be lost"

    def _flush(self):
        while True:
            self.wire.wait()
            taken = list(self.done)
            for rid in self.done:
                if self.wire.urgent(rid):
                    break
            self.done.clear()
            self.wire.send(taken)
