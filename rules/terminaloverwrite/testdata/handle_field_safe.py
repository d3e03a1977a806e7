"""The state of a handle is one field; a watchdog thread fails it, send() moves it on.

Right: send() moves a new handle only, under the lock of the watchdog.
"""

import threading
import time


class Shipment:
    def __init__(self, rid, wire):
        self.rid = rid
        self.wire = wire
        self.lock = threading.Lock()
        self.state = "new"
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            time.sleep(1)
            if not self.wire.alive():
                break
        with self.lock:
            if self.state in ("new", "sending"):
                self.state = "failed"

    def send(self, pages):
        with self.lock:
            if self.state != "new":
                return
            self.state = "sending"
        self.wire.write(self.rid, pages)

    def sent(self):
        with self.lock:
            if self.state == "sending":
                self.state = "sent"

    def poll(self):
        with self.lock:
            return self.state
