"""The constructor stores the targets first and the states afterwards, without a lock.

Right: the listener thread is started below both, so it never sees the one without the other.
"""

import threading
import time

IDLE, BUSY, GONE = "idle", "busy", "gone"


class Fleet:
    def __init__(self, ships, radio):
        self.radio = radio
        self.lock = threading.Lock()
        self.targets = {}
        self.states = {}
        self.end = time.monotonic() + 86400
        for ship in ships:
            self.targets[ship] = ship.port
        for ship in ships:
            self.states[ship] = BUSY
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            call = self.radio.next()
            with self.lock:
                if self.states.get(call.ship) == BUSY:
                    self.states[call.ship] = GONE if call.lost else IDLE
                    self.targets.pop(call.ship, None)

    def state(self, ship):
        with self.lock:
            if self.states.get(ship) == BUSY and time.monotonic() > self.end:
                self.states[ship] = GONE
            return self.states.get(ship, GONE)

    def strike(self, ship):
        with self.lock:
            self.targets.pop(ship, None)
            self.states.pop(ship, None)
