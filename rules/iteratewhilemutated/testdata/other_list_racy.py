"""A waiter reads the orders out while guests still order.

Racy: an order can come while they are read. The list that is at hand is not the builtin one.
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
        for guest, dish in self.orders.items():  # want "self.orders.items.. can change while this loop walks over it"
            list.write(guest, dish)

    def cancel(self, guest):
        self.orders.pop(guest, None)
