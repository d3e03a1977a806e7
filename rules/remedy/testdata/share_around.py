"""Walks over a list to which they add, and for which nobody else may change it."""

import queue
import threading


class Board:
    def __init__(self):
        self.notes = []
        self.jobs = queue.Queue()
        self.door = threading.Lock()
        threading.Thread(target=self.grows, daemon=True).start()
        threading.Thread(target=self.asks, daemon=True).start()
        threading.Thread(target=self.helped, daemon=True).start()
        threading.Thread(target=self.waits, daemon=True).start()
        threading.Thread(target=self.locks, daemon=True).start()

    def grows(self):
        for note in self.notes:  # walk
            if note > 0:
                self.notes.append(-note)

    def asks(self):
        for note in self.notes:  # walk
            if note.ready():
                self.notes.append(note.answer())

    def helped(self):
        for note in self.notes:  # walk
            self.pin(note)

    def waits(self):
        for note in self.notes:  # walk
            self.notes.append(self.jobs.get())

    def locks(self):
        for note in self.notes:  # walk
            with self.door:
                self.notes.append(note)

    def suspends(self):
        for note in self.notes:  # walk
            yield note

    async def awaits(self):
        for note in self.notes:  # walk
            self.notes.append(note)

    def pin(self, note):
        self.notes.append(note)  # change

    def drop(self, note):
        self.notes.remove(note)  # change
