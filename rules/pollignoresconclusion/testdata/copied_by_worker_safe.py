"""cancel() only notes the id; a housekeeping thread makes a failure of it within a second.

Right: what cancel() writes is copied into the map that poll reads, by a thread that needs no
further input.
"""

import threading
import time
from enum import Enum


class Mode(Enum):
    ON = "on"
    OVER = "over"
    LOST = "lost"


class House:
    def __init__(self):
        self.lock = threading.Lock()
        self.modes = {}
        self.ends = {}
        self.cancelled = set()
        threading.Thread(target=self._keep, daemon=True).start()

    def admit(self, guest):
        with self.lock:
            self.modes[guest] = Mode.ON
            self.ends[guest] = time.monotonic() + 60

    def done(self, guest):
        with self.lock:
            if self.modes.get(guest) is Mode.ON:
                self.modes[guest] = Mode.OVER

    def cancel(self, guest):
        with self.lock:
            if guest in self.modes:
                self.cancelled.add(guest)

    def _keep(self):
        while True:
            time.sleep(1)
            now = time.monotonic()
            with self.lock:
                for guest, end in list(self.ends.items()):
                    late = now > end or guest in self.cancelled
                    if late and self.modes.get(guest) is Mode.ON:
                        self.modes[guest] = Mode.LOST

    def poll(self, guest):
        with self.lock:
            return self.modes.get(guest, Mode.LOST)

    def evict(self, guest):
        with self.lock:
            self.modes.pop(guest, None)
            self.ends.pop(guest, None)
            self.cancelled.discard(guest)
