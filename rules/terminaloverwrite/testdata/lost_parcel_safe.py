"""Whoever takes a parcel out of the list of open ones writes its verdict, after the lock if need be.

Right: delivered() and the watch look for the parcel and take it out under one lock, so that only
one of them goes on.
"""

import threading
import time


class Parcels:
    def __init__(self, couriers):
        self.couriers = couriers
        self.lock = threading.Lock()
        self.open = set()
        self.ends = {}
        self.verdicts = {}
        threading.Thread(target=self._watch, daemon=True).start()

    def add(self, parcel):
        with self.lock:
            self.open.add(parcel)
            self.ends[parcel] = time.monotonic() + 600

    def delivered(self, parcel):
        with self.lock:
            if parcel in self.open:
                self.verdicts[parcel] = "delivered"
                self.open.remove(parcel)
                self.ends.pop(parcel, None)

    def _watch(self):
        while True:
            time.sleep(1)
            with self.lock:
                parcels = list(self.open)
            for parcel in parcels:
                if not self.couriers.alive(parcel) or time.monotonic() > self.ends.get(parcel, 0.0):
                    self._lose(parcel)

    def _lose(self, parcel):
        with self.lock:
            if parcel not in self.open:
                return
            self.open.remove(parcel)
            self.ends.pop(parcel, None)
        self.couriers.search(parcel)
        self.verdicts[parcel] = "lost"

    def check(self, parcel):
        return self.verdicts.get(parcel, "open")
