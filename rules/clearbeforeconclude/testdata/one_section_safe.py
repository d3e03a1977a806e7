"""The entry goes before the verdict is set, within one critical section.

Right: poll() takes the same lock for both of its reads, so it sees the request before or after,
never in between.
"""

import threading
import time


class Room:
    def __init__(self, leavers):
        self.leavers = leavers
        self.lock = threading.Lock()
        self.guests = {}
        self.verdicts = {}
        threading.Thread(target=self._leave, daemon=True).start()

    def enter(self, guest):
        with self.lock:
            self.guests[guest] = time.monotonic() + 30

    def _leave(self):
        while True:
            guest = self.leavers.get()
            with self.lock:
                if self.guests.pop(guest, None) is not None:
                    self.verdicts[guest] = "left"

    def poll(self, guest):
        with self.lock:
            verdict = self.verdicts.get(guest)
            if verdict is not None:
                return verdict
            if time.monotonic() < self.guests.get(guest, 0.0):
                return "inside"
            if self.guests.pop(guest, None) is not None:
                self.verdicts[guest] = "left"
            return "left"

    def forget(self, guest):
        with self.lock:
            self.guests.pop(guest, None)
            self.verdicts.pop(guest, None)
