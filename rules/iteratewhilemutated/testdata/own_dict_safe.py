"""One removal and out; values may be replaced in the loop."""

import time


class Leases:
    def __init__(self):
        self.leases = {}

    def grant(self, rid, until):
        self.leases[rid] = until

    def expire_one(self):
        now = time.monotonic()
        for rid, until in self.leases.items():
            if until < now:
                del self.leases[rid]
                return rid
        return None

    def extend(self, by):
        for rid, until in self.leases.items():
            self.leases[rid] = until + by
