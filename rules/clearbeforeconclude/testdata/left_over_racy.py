"""A thread ends a call: it takes the entry out, notes how long it had left, and marks the call.

Racy: mark() in between reads a missing entry. What was taken out is needed before the call is
marked, so that only the mark can move.
"""

import logging
import threading
import time

log = logging.getLogger(__name__)


class Exchange:
    def __init__(self, events):
        self.events = events
        self.lock = threading.Lock()
        self.entries = {}
        self.calls = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            event = self.events.next()
            call = self.calls.get(event.number)
            if call is not None:
                call.end()


class Call:
    def __init__(self, exchange: Exchange, number):
        self.exchange = exchange
        self.number = number
        self.ended = None
        exchange.entries[number] = time.monotonic() + 60
        exchange.calls[number] = self

    def end(self):
        left = self.exchange.entries.pop(self.number, None)  # want "removed before ended is set"
        log.info("%r had until %r", self.number, left)
        with self.exchange.lock:
            self.ended = "ended"

    def mark(self):
        if self.ended is not None:
            return self.ended
        late = time.monotonic() > self.exchange.entries[self.number]
        return "late" if late else "up"

    def forget(self):
        self.exchange.entries.pop(self.number, None)
        self.exchange.calls.pop(self.number, None)
