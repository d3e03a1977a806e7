"""Inserts of absent entries, which reads rest on."""

import threading


class Desk:
    def __init__(self, bell):
        self.bell = bell
        self.files = {}
        self.pairs = {}
        threading.Thread(target=self._close, daemon=True).start()

    def _close(self):
        while True:
            name = self.bell.wait()
            self.files.pop(name, None)
            self.pairs.pop((name, 0), None)

    def cheap(self, name, page):
        if name not in self.files:
            self.files[name] = []  # check
        self.files[name].append(page)  # read

    def with_comments(self, name, page):
        if name not in self.files:  # a new one
            # it is empty
            self.files[name] = []  # check
        self.files[name].append(page)  # read

    def costly_with_comments(self, name, page):
        if name not in self.files:
            # it takes a while
            self.files[name] = self.bell.paper()  # check
        self.files[name].append(page)  # read

    def pair(self, name, row, page):
        if (name, row) not in self.pairs:
            self.pairs[name, row] = []  # check
        self.pairs[name, row].append(page)  # read
