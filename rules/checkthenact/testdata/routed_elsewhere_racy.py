"""A desk gives a router from outside a list of what to call for which message.

Racy: expire() runs on a thread of its own, and can take a row out while drop() looks at it.
"""

import threading


class Desk:
    def __init__(self, router):
        self.rows = {}
        pairs = [("add", self.add), ("drop", self.drop)]
        self.route = router(pairs)
        threading.Thread(target=self.expire, daemon=True).start()

    def step(self, batch):
        for message in batch:
            self.route(message)

    def add(self, key):
        self.rows[key] = 1

    def drop(self, key):
        if key in self.rows:
            del self.rows[key]  # want "rows"

    def expire(self):
        while True:
            for key in list(self.rows):
                self.rows.pop(key, None)
