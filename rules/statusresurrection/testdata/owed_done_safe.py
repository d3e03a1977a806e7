"""A mill counts the sacks that carts bring for an order, and tells the miller when there are enough.

Right: a sack for an order that was struck out is not counted, and the cart is waved off all the same.
"""

import queue
import threading
from collections import Counter


class Mill:
    def __init__(self, bell, ramps):
        self.bell = bell
        self.yard = threading.Lock()
        self.carts = queue.Queue()
        self.ramps = ramps
        self.sacks = Counter()
        self.wanted = {}
        self.unloading = False
        threading.Thread(target=self._unload, daemon=True).start()

    def order(self, number, wanted):
        with self.yard:
            self.wanted[number] = wanted
            self.sacks[number] = 0

    def bring(self, number):
        self.carts.put(number)

    def close_gate(self):
        self.carts.join()

    def _unload(self):
        while True:
            number = self.carts.get()
            ramp = self.ramps.get()
            with self.yard:
                self.unloading = True
                if number in self.sacks:
                    self.sacks[number] += 1
                    if self.sacks[number] == self.wanted.get(number):
                        self.bell.ring(number)
                self.unloading = False
            self.ramps.put(ramp)
            self.carts.task_done()

    def strike_out(self, number):
        with self.yard:
            self.wanted.pop(number, None)
            self.sacks.pop(number, None)
