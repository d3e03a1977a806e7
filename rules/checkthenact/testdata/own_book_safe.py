"""Two servers each keep a book of lines, and each closes its own.

Right: the thread of the one never works on the book that the other closes.
"""

import threading


class Book:
    def __init__(self):
        self.lines = {}

    def close(self):
        self.lines.clear()

    def send(self, name, text):
        if name not in self.lines:
            self.lines[name] = open_line(name)
        self.lines[name].write(text)


class Router:
    def __init__(self, inbox):
        self.inbox = inbox
        self.book = Book()
        threading.Thread(target=self._route, daemon=True).start()

    def _route(self):
        while True:
            note = self.inbox.receive()
            self.book.send(note.name, note.text)


class Printer:
    def __init__(self):
        self.book = Book()

    def print(self, name, text):
        self.book.send(name, text)

    def stop(self):
        self.book.close()


def open_line(name):
    return open(name, "w")
