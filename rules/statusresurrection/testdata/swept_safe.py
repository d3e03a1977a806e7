"""Early announcements are kept for requests that are not known yet, and so are late ones.

Right: whatever is kept for a request that never takes it up goes by the sweep, after a minute.
"""

import threading
import time


class Early:
    def __init__(self, address):
        self.address = address
        self.at = time.monotonic()


class Lobby:
    def __init__(self, door):
        self.door = door
        self.lock = threading.Lock()
        self.early = {}
        for work in (self._greet, self._sweep):
            threading.Thread(target=work, daemon=True).start()

    def _greet(self):
        while True:
            guest = self.door.wait()
            with self.lock:
                self.early[guest.rid] = Early(guest.address)

    def _sweep(self):
        while True:
            time.sleep(10)
            now = time.monotonic()
            with self.lock:
                for rid, early in list(self.early.items()):
                    if now - early.at > 60:
                        del self.early[rid]

    def take(self, rid):
        with self.lock:
            early = self.early.pop(rid, None)
        return None if early is None else early.address
