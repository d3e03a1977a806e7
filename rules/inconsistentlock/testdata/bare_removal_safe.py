"""Removal and renewal share the lock. What only counts may look without it."""

import threading
import time


class Leases:
    def __init__(self):
        self._mutex = threading.RLock()
        self._leases = {}
        self._thread = threading.Thread(target=self._renew_loop)
        self._thread.start()

    def _renew_loop(self):
        while True:
            time.sleep(1)
            with self._mutex:
                names = list(self._leases)
            for name in names:
                self._renew(name)

    def _renew(self, name):
        with self._mutex:
            lease = self._leases.get(name)
            if lease is not None:
                self._leases[name] = lease.renewed()

    def grant(self, name, lease):
        with self._mutex:
            self._leases[name] = lease

    def cancel(self, name):
        with self._mutex:
            self._leases.pop(name, None)

    def gauge(self):
        return len(self._leases)
