"""Two servers each keep a book, and all books have the same lines.

Racy: the one closes the lines that the thread of the other writes to.
"""

import threading


LINES = {}


class Book:
    def __init__(self, lines):
        self.lines = lines

    def close(self):
        self.lines.clear()

    def send(self, name, text):
        if name not in self.lines:
            self.lines[name] = open_line(name)
        self.lines[name].write(text)  # want "lines.* can remove it"


class Router:
    def __init__(self, inbox):
        self.inbox = inbox
        self.book = Book(LINES)
        threading.Thread(target=self._route, daemon=True).start()

    def _route(self):
        while True:
            note = self.inbox.receive()
            self.book.send(note.name, note.text)


class Printer:
    def __init__(self):
        self.book = Book(LINES)

    def print(self, name, text):
        self.book.send(name, text)

    def stop(self):
        self.book.close()


def open_line(name):
    return open(name, "w")
