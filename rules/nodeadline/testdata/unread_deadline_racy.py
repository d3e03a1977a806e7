"""A deadline is stored for each ticket and shown by describe().

Racy: nothing compares it with the clock, and look() waits as long as the peer likes.
"""

import threading
import time
from enum import Enum
from functools import partial


class Word(Enum):
    PENDING = "pending"
    GRANTED = "granted"
    REFUSED = "refused"


class Office:
    def __init__(self, letters):
        self.letters = letters
        self.lock = threading.Lock()
        self.words = {}
        self.deadlines = {}
        threading.Thread(target=partial(self._open_letters, "office"), daemon=True).start()

    def apply(self, rank, ticket):
        with self.lock:
            self.words[(rank, ticket)] = Word.PENDING
            self.deadlines[(rank, ticket)] = time.monotonic() + 60

    def _open_letters(self, name):
        while True:
            letter = self.letters.get()
            key = (letter.rank, letter.ticket)
            with self.lock:
                if self.words.get(key) is Word.PENDING:
                    self.words[key] = Word.GRANTED if letter.good else Word.REFUSED

    def describe(self, rank, ticket):
        with self.lock:
            return "until %r" % self.deadlines.get((rank, ticket))

    def look(self, rank, ticket):  # want "look"
        key = (rank, ticket)
        with self.lock:
            return self.words.get(key, Word.REFUSED)

    def withdraw(self, rank, ticket):
        with self.lock:
            self.words.pop((rank, ticket), None)
            self.deadlines.pop((rank, ticket), None)
