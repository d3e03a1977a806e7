"""Two servers write to one book of lines, and one of them closes it.

Racy: the router has lent its book to the printer, which can close it between the look-up
and the write.
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
        self.lines[name].write(text)  # want "lines.* can remove it"


class Router:
    def __init__(self, inbox):
        self.inbox = inbox
        self.book = Book()
        self.printer = Printer(self)
        threading.Thread(target=self._route, daemon=True).start()

    def _route(self):
        while True:
            note = self.inbox.receive()
            self.book.send(note.name, note.text)


class Printer:
    def __init__(self, router: Router):
        self.book = router.book

    def print(self, name, text):
        self.book.send(name, text)

    def stop(self):
        self.book.close()


def open_line(name):
    return open(name, "w")
