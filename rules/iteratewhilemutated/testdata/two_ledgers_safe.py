"""An office with two ledgers.

Right: the thread writes in one, and the report reads the other one.
"""

import threading
from dataclasses import dataclass, field


@dataclass
class Ledger:
    pages: dict = field(default_factory=dict)


class Office:
    def __init__(self, door):
        self.door = door
        self.incoming = Ledger()
        self.outgoing = Ledger()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self):
        while True:
            note = self.door.next()
            self.incoming.pages[note.number] = note

    def close(self, number):
        self.incoming.pages.pop(number, None)

    def report(self):
        for number in self.outgoing.pages:
            print(number)

    def book(self, number):
        self.outgoing.pages[number] = 1

    def strike(self, number):
        self.outgoing.pages.pop(number, None)
