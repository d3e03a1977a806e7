"""A queue that moves requests on once their receivers are ready.

Right: who aborts an entry takes back that it is ready, so that it is polled again.
"""

import threading
import time
from enum import IntEnum


class Step(IntEnum):
    FAILED = 0
    HANDSHAKE = 1
    READY = 2


class Book:
    def __init__(self, line):
        self.line = line
        self.steps = {}
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            word = self.line.read()
            if word.rid in self.steps:
                self.steps[word.rid] = Step.READY


class Receiver:
    def __init__(self, book: Book, rid):
        self.book = book
        self.rid = rid
        book.steps[rid] = Step.HANDSHAKE
        self.verdict = None
        self.expires = time.monotonic() + 30

    def poll(self):
        if self.verdict is not None:
            return self.verdict
        if time.monotonic() > self.expires:
            self.verdict = Step.FAILED
            return self.verdict
        return self.book.steps[self.rid]

    def abort(self):
        self.verdict = Step.FAILED


class Entry:
    def __init__(self, receiver: Receiver):
        self.receiver = receiver
        self.ready = False


class WaitingRoom:
    def __init__(self, book, answer):
        self.book = book
        self.answer = answer
        self.entries = []

    def add(self, rid):
        self.entries.append(Entry(Receiver(self.book, rid)))

    def advance(self):
        if all(entry.ready for entry in self.entries):
            return
        kept = []
        for entry in self.entries:
            step = entry.receiver.poll()
            if step == Step.FAILED:
                self.answer(entry, "failed")
                continue
            entry.ready = step == Step.READY
            kept.append(entry)
        self.entries = kept

    def take(self, room):
        taken = [entry for entry in self.entries if entry.ready][:room]
        self.entries = [entry for entry in self.entries if entry not in taken]
        return taken

    def abort(self, rid):
        for entry in self.entries:
            if entry.receiver.rid == rid:
                entry.receiver.abort()
                entry.ready = False
