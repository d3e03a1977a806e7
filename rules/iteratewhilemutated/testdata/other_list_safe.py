"""A waiter reads the orders out while guests still order.

Right: the orders that there are now are read, of a copy.
"""

import threading


class Table:
    def __init__(self, guests):
        self.guests = guests
        self.orders = {}
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self):
        while True:
            guest, dish = self.guests.hear()
            self.orders[guest] = dish

    def read_out(self, list):
        list.open()
        for guest, dish in [*self.orders.items()]:
            list.write(guest, dish)

    def cancel(self, guest):
        self.orders.pop(guest, None)
