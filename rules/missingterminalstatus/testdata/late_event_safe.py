"""A listener goes on to the next event when an event is for a session it does not know, or that
has ended.

Right: there is nothing to conclude for such a session; the others end by their events, or by
their limit.
"""

import threading
import time
from enum import Enum


class Mode(Enum):
    UP = 1
    ENDED = 2
    LOST = 3


class Sessions:
    def __init__(self, events):
        self.events = events
        self.lock = threading.Lock()
        self.modes = {}
        self.limits = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def open(self, sid):
        with self.lock:
            self.modes[sid] = Mode.UP
            self.limits[sid] = time.monotonic() + 30

    def _listen(self):
        while True:
            event = self.events.get()
            with self.lock:
                mode = self.modes.get(event.sid)
                if mode is None:
                    continue
                if mode is not Mode.UP:
                    continue
                self.modes[event.sid] = Mode.ENDED if event.good else Mode.LOST

    def mode(self, sid):
        with self.lock:
            late = time.monotonic() > self.limits.get(sid, 0.0)
            if late and self.modes.get(sid) is Mode.UP:
                self.modes[sid] = Mode.LOST
            return self.modes.get(sid, Mode.LOST)

    def close(self, sid):
        with self.lock:
            self.modes.pop(sid, None)
            self.limits.pop(sid, None)
