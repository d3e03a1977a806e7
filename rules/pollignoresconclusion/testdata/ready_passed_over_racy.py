"""Transfers that stand in line until there is room for them.

Racy: turn() does not poll what is prepared. A transfer that is cancelled between its preparation and
its turn stays in line, with its pages, until there is room for it.
"""

import enum
from threading import Thread
from typing import Dict, List


class Word(str, enum.Enum):
    OPEN = "open"
    PREPARED = "prepared"
    CANCELLED = "cancelled"


class Wire:
    def __init__(self, source):
        self.source = source
        self.words: Dict[str, Word] = {}
        Thread(target=self._follow).start()

    def _follow(self):
        for req_id in self.source:
            if req_id in self.words:
                self.words[req_id] = Word.PREPARED


class Transfer:
    def __init__(self, wire: Wire, req_id: str):
        self.wire = wire
        self.req_id = req_id
        self.end = None
        wire.words[req_id] = Word.OPEN

    def state(self):
        if self.end:
            return self.end
        return self.wire.words[self.req_id]

    def cancel(self):
        self.end = Word.CANCELLED


class Place:
    def __init__(self, transfer: Transfer):
        self.transfer = transfer
        self.prepared = False


class Line:
    def __init__(self, wire: Wire, pages):
        self.wire = wire
        self.pages = pages
        self.places: List[Place] = []

    def join(self, req_id):
        self.places.append(Place(Transfer(self.wire, req_id)))

    def turn(self):
        for place in list(self.places):
            if place.prepared:  # want "does not poll what has prepared set"
                continue
            word = place.transfer.state()
            if word == Word.PREPARED:
                place.prepared = True
            elif word == Word.CANCELLED:
                self.places.remove(place)
                self.pages.give(place)

    def begin(self):
        while self.places and self.places[0].prepared and self.pages.room():
            self.pages.fill(self.places.pop(0))

    def cancel_all(self, prefix):
        for place in self.places:
            if place.transfer.req_id.startswith(prefix):
                place.transfer.cancel()
