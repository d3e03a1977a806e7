"""A dispatcher looks through its open orders from time to time.

Racy: an order that the ledger has lost ends the dispatcher. Whoever goes on keeps the time in
between, or would look again at once.
"""

import threading
import time


class Dispatcher:
    def __init__(self, ledger):
        self.ledger = ledger
        self.pace = 5
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            for rid in list(self.open):
                assert self.ledger.knows(rid)  # want "an item can fail this assert"
            time.sleep(self.pace)

    def store(self, rid):
        self.open.add(rid)

    def drop(self, rid):
        self.open.discard(rid)

    def count(self):
        return len(self.open)
