"""A courier that sorts the parcels of a round by street and drops each street's at once.

Racy: where the way to a street is barred, only the parcel that the sorting has ended with
is noted as refused. The others count as delivered.
"""

import queue
import threading


class Courier(threading.Thread):
    def __init__(self, town, tell):
        super().__init__(daemon=True)
        self.town = town
        self.tell = tell
        self.rounds = queue.Queue()
        self.refused = set()

    def load(self, parcels):
        self.rounds.put(parcels)

    def run(self):
        while True:
            self.deliver(self.rounds.get())

    def deliver(self, parcels):
        streets = {}
        for number, parcel in parcels.items():
            streets.setdefault(parcel.street, []).append(number)
        if self.town.closed():
            return
        for street, numbers in streets.items():
            try:
                self.town.drop(street, numbers)
            except OSError:
                self.refused.add(number)  # want "only number, which the loop in line 28 has left behind"
            for number in numbers:
                self.tell(number, number not in self.refused)
                self.refused.discard(number)
