"""The reader thread hangs a call up: it says goodbye over the line, marks the call by the
reply, and removes the entry.

Right: the call is marked when the goodbye fails as well, and the entry is removed after that.
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
            if call is None:
                continue
            try:
                call.end()
            except OSError:
                log.exception("goodbye to %r", event.number)

    def drop(self, number):
        with self.lock:
            self.entries.pop(number, None)


class Call:
    def __init__(self, exchange: Exchange, number, line):
        self.exchange = exchange
        self.number = number
        self.line = line
        self.ended = None
        with exchange.lock:
            exchange.entries[number] = time.monotonic() + 60
        exchange.calls[number] = self

    def end(self):
        try:
            reply = self.line.goodbye()
            self.ended = "cut" if reply is None else "ended"
        except Exception:
            self.ended = "cut"
            raise
        finally:
            self.exchange.drop(self.number)

    def mark(self):
        if self.ended is not None:
            return self.ended
        with self.exchange.lock:
            late = time.monotonic() > self.exchange.entries[self.number]
        return "late" if late else "up"

    def forget(self):
        if self.ended is not None:
            self.exchange.drop(self.number)
        self.exchange.calls.pop(self.number, None)
