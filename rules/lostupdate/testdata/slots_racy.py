"""A count of slots that two threads change.

Racy: what listen() gives back while take() computes is lost. The class names its
attributes, so a lock of theirs needs a name among them.
"""

import threading


class Meter:
    __slots__ = ("most", "source", "used")

    def __init__(self, source):
        self.source = source
        self.most = 5
        self.used = 0
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            size = self.source.get()
            self.used -= size

    def take(self, size):
        if self.used + size > self.most:
            return False
        self.used += size  # want "used is read, changed and written back"
        return True
