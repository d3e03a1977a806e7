"""Two ways out give the lease of a request back.

Right: whoever takes the lease out of the map gives it back, the other one finds nothing.
"""

import threading


class Leases:
    def __init__(self, pool):
        self.pool = pool
        self.leases = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def take(self, rid):
        self.leases[rid] = self.pool.acquire()

    def _give(self, rid):
        lease = self.leases.pop(rid, None)
        if lease is not None:
            self.pool.release(lease)

    def _listen(self):
        while True:
            self._give(self.pool.returned())

    def abort(self, rid):
        self._give(rid)
        self._give(rid)
