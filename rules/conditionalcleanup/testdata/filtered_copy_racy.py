"""A cancel leaves the booking out of what it stores back, whether or not the trip is known.

Racy: the trip is entered after its booking. A cancel in between ends nothing.
"""

import queue
import threading


class Trip:
    PLANNED = 1
    DONE = 2
    FAILED = 3


class Coaches:
    def __init__(self):
        self.calls = queue.Queue()
        self.desk = threading.Lock()
        self.bookings = {}
        self.trips = {}
        threading.Thread(target=self._answer, daemon=True).start()

    def book(self, trip, seats):
        with self.desk:
            self.bookings[trip] = seats

    def depart(self, trip):
        with self.desk:
            self.trips[trip] = Trip.PLANNED

    def _answer(self):
        while True:
            word, trip = self.calls.get()
            with self.desk:
                if word == "cancel":
                    self.bookings = {t: s for t, s in self.bookings.items() if t != trip}  # want "bookings.trip. is removed whether or not trip is concluded"
                    if trip in self.trips:
                        self.trips[trip] = Trip.FAILED
                elif trip in self.bookings and self.trips.get(trip) == Trip.PLANNED:
                    self.trips[trip] = Trip.DONE

    def look(self, trip):
        with self.desk:
            return self.trips.get(trip, Trip.PLANNED)
