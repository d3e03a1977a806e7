"""A dispatcher takes its turn, waits, and looks at its ledger then.

Racy: a ledger that is away ends the dispatcher. It has waited already, so that whoever goes on
need not wait once more.
"""

import threading


class Dispatcher:
    def __init__(self, ledger):
        self.ledger = ledger
        self.stop = threading.Event()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            self.stop.wait(5)
            assert self.ledger.alive()  # want "an item can fail this assert"
            self.open.clear()

    def count(self):
        return len(self.open)
