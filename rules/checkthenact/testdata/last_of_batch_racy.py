"""A worker asks for the status of a parcel behind another condition, and the caller forgets the parcel."""

import queue
import threading
from collections import defaultdict

OPEN, SENT, LOST = 1, 2, 3


class Depot:
    def __init__(self, carrier):
        self.carrier = carrier
        self.status = {}
        self.open = defaultdict(int)
        self.parcels = queue.Queue()
        threading.Thread(target=self._send, daemon=True).start()

    def accept(self, number, parcel):
        self.status[number] = OPEN
        self.parcels.put(parcel)

    def asked(self, number):
        return self.status[number]

    def _send(self):
        while True:
            parcel = self.parcels.get()
            self.carrier.send(parcel)
            self.open[parcel.number] -= 1
            # nothing is under way any more
            if self.open.get(parcel.number, 0) <= 0 and (
                parcel.number not in self.status
                or self.asked(parcel.number) == SENT  # want "status"
                or (parcel.last and self.asked(parcel.number) == LOST)
            ):
                self.carrier.close(parcel.number)

    def forget(self, number):
        self.status.pop(number, None)
