"""Whoever keeps handles calls their methods in any order, also when it is in the program."""


class Step:
    OPEN = 1
    LOST = 2


class Book:
    def __init__(self):
        self.rows = {}


class Handle:
    def __init__(self, book: Book, key):
        self.book = book
        self.key = key
        self.end = None

    def poll(self):
        if self.end is not None:
            return self.end
        return self.book.rows[self.key]

    def abort(self):
        self._forget()
        self.end = Step.LOST

    def _forget(self):
        self.book.rows.pop(self.key, None)


class Helper:
    def __init__(self):
        self.marks = set()

    def mark(self, key):
        self.marks.add(key)


class Line:
    def __init__(self, book: Book):
        self.book = book
        self.handles = {}
        self.helper = Helper()

    def add(self, key):
        self.handles[key] = Handle(self.book, key)

    def step(self):
        for key, handle in list(self.handles.items()):
            if handle.poll() == Step.LOST:
                self.helper.mark(key)

    def abort(self, key):
        self.handles[key].abort()
