"""A worker carries parcels; whichever way it leaves a parcel, the finally clause is next.

Racy: it only counts, and a parcel that the road does not take keeps rolling.
"""

import enum
import queue
import threading


class Leg(enum.Enum):
    ROLLING = 1
    THERE = 2
    STRANDED = 3


class Carrier:
    def __init__(self, road):
        self.road = road
        self.lock = threading.Lock()
        self.parcels = queue.Queue()
        self.legs = {}
        self.carried = 0
        threading.Thread(target=self._carry, daemon=True).start()

    def send(self, parcel, address):
        with self.lock:
            self.legs[parcel] = Leg.ROLLING
        self.parcels.put((parcel, address))

    def _carry(self):
        while True:
            parcel, address = self.parcels.get()
            end = Leg.STRANDED
            try:
                if self.road.drive(address) != 0:
                    continue  # want "Carrier._carry drops a request here, without concluding it in legs"
                end = Leg.THERE
                with self.lock:
                    if self.legs.get(parcel) is Leg.ROLLING:
                        self.legs[parcel] = end
            except OSError:
                self.recall(parcel)
            finally:
                with self.lock:
                    self.carried += 1

    def leg(self, parcel):
        with self.lock:
            return self.legs.get(parcel, Leg.STRANDED)

    def recall(self, parcel):
        with self.lock:
            if self.legs.get(parcel) is Leg.ROLLING:
                self.legs[parcel] = Leg.STRANDED

    def forget(self, parcel):
        with self.lock:
            self.legs.pop(parcel, None)
