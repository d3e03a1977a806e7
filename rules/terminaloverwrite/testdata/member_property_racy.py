"""The members of the enumeration say themselves whether they are final.

Racy: the property forgets one of them, and so does the test by name.
"""

import enum
import queue
import threading


class Passage(enum.Enum):
    BOOKED = "booked"
    AT_SEA = "at sea"
    DONE = "done"
    FAILED = "failed"

    @property
    def is_over(self):
        return self is Passage.DONE


class Ferries:
    def __init__(self):
        self.radio = threading.Lock()
        self.calls = queue.Queue()
        self.passages = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def book(self, ticket):
        with self.radio:
            self.passages[ticket] = Passage.BOOKED

    def ask(self, ticket):
        with self.radio:
            return self.passages[ticket]

    def give_up(self, ticket):
        with self.radio:
            self.passages[ticket] = Passage.FAILED

    def _watch(self):
        while True:
            ticket = self.calls.get()
            with self.radio:
                if not self.passages[ticket].is_over:
                    self.passages[ticket] = Passage.AT_SEA  # want "AT_SEA is stored in passages.ticket. although Ferries.give_up may have stored FAILED"
            self._sail(ticket)
            with self.radio:
                if self.passages[ticket].name not in ("DONE", "LOST"):
                    self.passages[ticket] = Passage.DONE  # want "DONE is stored in passages.ticket. although Ferries.give_up may have stored FAILED"

    def _sail(self, ticket):
        print("sails", ticket)
