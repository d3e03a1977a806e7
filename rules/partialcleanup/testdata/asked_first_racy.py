"""A depot keeps the shelf of each parcel, and who has asked for it.

Wrong: a parcel that is handed out leaves the name of who has asked. A question makes the parcel
known, so one for a parcel that is not must not be ignored.
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
            self.shelves[number] = shelf

    def hand_out(self, number):
        self.shelves.pop(number, None)
