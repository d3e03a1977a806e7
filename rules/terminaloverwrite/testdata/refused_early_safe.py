"""A peer refuses only what is announced here."""

import enum
import threading
import time


class Visit(enum.Enum):
    ANNOUNCED = 1
    DONE = 2
    FAILED = 3


class Gatehouse:
    def __init__(self, bell):
        self.bell = bell
        self.book = threading.Lock()
        self.visits = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def announce(self, guest):
        with self.book:
            self.visits[guest] = Visit.ANNOUNCED

    def ask(self, guest, since):
        with self.book:
            if time.monotonic() - since > 60:
                return Visit.FAILED
            return self.visits.get(guest, Visit.FAILED)

    def _listen(self):
        while True:
            guest = self.bell.ring()
            with self.book:
                if guest in self.visits:
                    self.visits[guest] = Visit.FAILED
