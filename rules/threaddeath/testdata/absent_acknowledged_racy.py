"""A courier takes slips off a queue that counts them, and delivers the parcel of each.

Racy: a parcel that is withdrawn before its turn ends the courier. Whoever joins the queue waits
for the slip of that one as well.
"""

import queue
import threading


class Courier:
    def __init__(self, road):
        self.road = road
        self.parcels = {}
        self.slips = queue.Queue()
        threading.Thread(target=self._deliver, daemon=True).start()

    def accept(self, number, parcel):
        self.parcels[number] = parcel
        self.slips.put(number)

    def withdraw(self, number):
        self.parcels.pop(number, None)

    def settle(self):
        self.slips.join()

    def _deliver(self):
        while True:
            number = self.slips.get()
            parcel = self.parcels[number]  # want "parcels.number. is read without a look whether it is there"
            self.road.carry(parcel)
            self.slips.task_done()
