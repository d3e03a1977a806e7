"""A depot keeps the shelf of each parcel, and who has asked for it.

Right: both go when it is handed out, and who asks afterwards is not noted.
"""

import threading


class Depot:
    def __init__(self, mail):
        self.mail = mail
        self.lock = threading.Lock()
        self.shelves = {}
        self.asking = {}
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self):
        while True:
            number, name, shelf = self.mail.recv()
            with self.lock:
                if number not in self.shelves:
                    continue
                self.asking[number] = name
                if shelf:
                    self.shelves[number] = shelf


class Parcel:
    def __init__(self, depot: Depot, number, shelf):
        self.depot = depot
        self.number = number
        with depot.lock:
            depot.shelves[number] = shelf

    def hand_out(self):
        with self.depot.lock:
            self.depot.shelves.pop(self.number, None)
            self.depot.asking.pop(self.number, None)
