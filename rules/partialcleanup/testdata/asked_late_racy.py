"""A depot keeps the shelf of each parcel, and who has asked for it.

Wrong: a parcel that is handed out leaves the name of who has asked. To remove that as well is
not enough: a question that comes afterwards would bring a name back.
"""

import threading


class Depot:
    def __init__(self, mail):
        self.mail = mail
        self.shelves = {}
        self.asking = {}
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self):
        while True:
            number, name, shelf = self.mail.recv()
            self.asking[number] = name  # want "is inserted and never removed"
            if shelf and number in self.shelves:
                self.shelves[number] = shelf


class Parcel:
    def __init__(self, depot: Depot, number, shelf):
        self.depot = depot
        self.number = number
        self.depot.shelves[number] = shelf

    def hand_out(self):
        self.depot.shelves.pop(self.number, None)
