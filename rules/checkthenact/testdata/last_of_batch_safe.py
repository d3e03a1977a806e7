"""A worker asks for the status of a parcel behind another condition, and copes with a parcel that the caller forgets."""

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
        return self.status.get(number)

    def _send(self):
        while True:
            parcel = self.parcels.get()
            self.carrier.send(parcel)
            self.open[parcel.number] -= 1
            status = self.asked(parcel.number)
            # nothing is under way any more
            if self.open.get(parcel.number, 0) <= 0 and (
                status is None
                or status == SENT
                or (parcel.last and status == LOST)
            ):
                self.carrier.close(parcel.number)

    def forget(self, number):
        self.status.pop(number, None)
