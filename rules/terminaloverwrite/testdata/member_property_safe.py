"""The members of the enumeration say themselves whether they are final, in several ways."""

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
        return self in (Passage.DONE, Passage.FAILED)

    def at_an_end(self):
        """The same as a method."""
        return self is Passage.DONE or self is Passage.FAILED

    @classmethod
    def final(cls):
        return {cls.DONE, cls.FAILED}


def over(passage):
    return passage.name in ("DONE", "FAILED")


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
                    self.passages[ticket] = Passage.AT_SEA
            self._sail(ticket)
            with self.radio:
                passage = self.passages[ticket]
                if not passage.at_an_end():
                    self.passages[ticket] = Passage.AT_SEA
            self._sail(ticket)
            with self.radio:
                passage = self.passages[ticket]
                if passage not in Passage.final() and passage.value not in ("done", "failed"):
                    self.passages[ticket] = Passage.AT_SEA
            self._sail(ticket)
            with self.radio:
                if not over(self.passages[ticket]):
                    self.passages[ticket] = Passage.DONE

    def _sail(self, ticket):
        print("sails", ticket)
