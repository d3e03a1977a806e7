"""An office with one ledger for all.

Wrong: the thread writes in it while the report walks over it.
"""

import threading
from dataclasses import dataclass, field


@dataclass
class Ledger:
    pages: dict = field(default_factory=dict)


class Office:
    def __init__(self, door):
        self.door = door
        self.ledger = Ledger()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self):
        while True:
            note = self.door.next()
            self.ledger.pages[note.number] = note

    def close(self, number):
        self.ledger.pages.pop(number, None)

    def report(self):
        for number in self.ledger.pages:  # want "can change while this loop walks over it"
            print(number)

    def book(self, number):
        self.ledger.pages[number] = 1

    def strike(self, number):
        self.ledger.pages.pop(number, None)
