"""A cancel leaves the booking out of what it stores back, and ends the trip in any case."""

import queue
import threading
import time


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
            self.trips.setdefault(trip, Trip.PLANNED)

    def _answer(self):
        while True:
            word, trip = self.calls.get()
            with self.desk:
                if word == "cancel":
                    self.bookings = {t: s for t, s in self.bookings.items() if t != trip}
                    self.trips[trip] = Trip.FAILED
                elif trip in self.bookings and self.trips.get(trip) == Trip.PLANNED:
                    self.trips[trip] = Trip.DONE

    def look(self, trip, since):
        with self.desk:
            if time.monotonic() - since > 600:
                return Trip.FAILED
            return self.trips.get(trip, Trip.PLANNED)
