"""What update(dict.fromkeys(d, x)) stores is known where a lock keeps the keys as they are."""

import threading


class Marks:
    def __init__(self):
        self.lock = threading.Lock()
        self.marks = {}
        self.names = {}

    def forget(self, name):
        self.marks.pop(name, None)
        self.names.pop(name, None)

    def refresh(self):
        with self.lock:
            self.marks.update(dict.fromkeys(self.marks, "alive"))

    def adopt(self):
        with self.lock:
            self.marks.update(dict.fromkeys(self.names, "new"))

    def unlocked(self):
        self.marks.update(dict.fromkeys(self.marks, "alive"))

    def filled(self, value):
        with self.lock:
            self.marks.update(dict.fromkeys(self.marks, value))
