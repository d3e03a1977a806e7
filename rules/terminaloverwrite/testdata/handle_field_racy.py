"""The state of a handle is one field; a watchdog thread fails it, send() moves it on.

Racy: send() stores "sending" whatever the field holds; a handle that the watchdog has failed is
polled on.
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
            self.state = "sending"  # want "state"
        self.wire.write(self.rid, pages)

    def sent(self):
        with self.lock:
            if self.state == "sending":
                self.state = "sent"

    def poll(self):
        with self.lock:
            return self.state
