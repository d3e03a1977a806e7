"""An expiry deletes from the dictionary that it walks over; one thread is enough."""

import time


class Leases:
    def __init__(self):
        self.leases = {}

    def grant(self, rid, until):
        self.leases[rid] = until

    def expire(self):
        now = time.monotonic()
        for rid, until in self.leases.items():  # want "the loop over self.leases.items.. changes it"
            if until < now:
                del self.leases[rid]
