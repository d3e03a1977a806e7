"""The watch takes a parcel out of the list of open ones, and writes its verdict after the lock.

Racy: delivered() has looked for the parcel in the list before, and writes after the lock as well.
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
            if parcel not in self.open:
                return
        self.couriers.thank(parcel)
        self.verdicts[parcel] = "delivered"  # want "delivered is stored in verdicts.parcel. although Parcels._watch may have stored lost there"
        with self.lock:
            self.open.discard(parcel)
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
