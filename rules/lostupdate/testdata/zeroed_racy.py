"""A meter that clerks count up and a reporter sets back.

Racy: two clerks can read the same count. A lock around the counting alone would not do: the
reporter's zero is lost when it comes between the read and the write of a clerk.
"""

import threading


class Meter:
    def __init__(self, wire):
        self.wire = wire
        self.sent = 0
        for _ in range(2):
            threading.Thread(target=self._count, daemon=True).start()
        threading.Thread(target=self._report, daemon=True).start()

    def _count(self):
        while True:
            self.wire.wait()
            self.sent += 1  # want "sent is read, changed and written back"

    def _report(self):
        while True:
            self.wire.tick()
            if self.sent > 100:
                self.sent = 0
                self.wire.flush()
