"""A worker carries parcels; whichever way it leaves a parcel, the finally clause is next.

Right: it ends the leg, as STRANDED unless the parcel has arrived.
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
                    continue
                end = Leg.THERE
            except OSError:
                self.road.leave()
            finally:
                with self.lock:
                    if self.legs.get(parcel) is Leg.ROLLING:
                        self.legs[parcel] = end

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
