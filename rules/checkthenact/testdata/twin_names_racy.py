"""Two names and two locks: the worker and cast_off() do not exclude each other."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Berths:
    def __init__(self, size):
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.mooring = threading.Lock()
        self.harbour = threading.Lock()
        self.berths = {}

    def moor(self, ship, value):
        with self.harbour:
            self.berths[ship] = value
        self.pool.submit(self._unload, ship)

    def _unload(self, ship):
        print("unload", ship)
        with self.mooring:
            if ship in self.berths:
                del self.berths[ship]  # want "berths.* is tested, then removed"

    def cast_off(self, ship):
        with self.harbour:
            self.berths.pop(ship, None)
