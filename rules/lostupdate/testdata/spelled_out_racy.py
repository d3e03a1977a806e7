"""A purse from which the caller pays, and into which a thread puts what is earned.

Racy: either reads, changes and stores them without it.
"""

import threading


class Purse:
    def __init__(self, market):
        self.market = market
        self.lock = threading.Lock()
        self.coins = 0
        threading.Thread(target=self._earn, daemon=True).start()

    def pay(self, price):
        if self.coins < price:
            return False
        self.coins = self.coins - price  # want "coins is read, changed and written back"
        return True

    def _earn(self):
        while True:
            coins = self.market.sell()
            self.coins = self.coins + coins
