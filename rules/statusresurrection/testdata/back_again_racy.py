"""Boats wait in the roads until all that wait are piloted in at once; one in port may go back to wait.

Racy: a boat that is called off while it waits is piloted in all the same. Who goes back to wait
stays on the list: only what is called off leaves it.
"""

import threading


class Port:
    def __init__(self, tide):
        self.tide = tide
        self.lock = threading.Lock()
        self.roads = {}
        self.berths = {}
        threading.Thread(target=self._pilot, daemon=True).start()

    def arrive(self, boat, cargo):
        with self.lock:
            self.roads[boat] = cargo
            self.berths[boat] = None

    def _pilot(self):
        while True:
            self.tide.wait()
            with self.lock:
                self.berths.update(self.roads)  # want "an entry of berths is stored even when Port.call_off has removed it"
                self.roads.clear()

    def cast_off(self, boat):
        with self.lock:
            cargo = self.berths.pop(boat, None)
            if cargo is not None:
                self.roads[boat] = cargo

    def call_off(self, boat):
        with self.lock:
            self.berths.pop(boat, None)

    def moored(self, boat):
        with self.lock:
            return boat in self.berths
