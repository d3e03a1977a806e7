"""A purse from which the caller pays, and into which a thread puts what is earned.

Right: the coins change under the lock.
"""

import threading


class Purse:
    def __init__(self, market):
        self.market = market
        self.lock = threading.Lock()
        self.coins = 0
        threading.Thread(target=self._earn, daemon=True).start()

    def pay(self, price):
        with self.lock:
            if self.coins < price:
                return False
            self.coins = self.coins - price
            return True

    def _earn(self):
        while True:
            coins = self.market.sell()
            with self.lock:
                self.coins = self.coins + coins
