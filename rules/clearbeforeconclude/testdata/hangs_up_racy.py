"""The reader thread hangs a call up: it removes the entry, says goodbye over the line, and marks
the call by the reply.

Racy: mark() may be asked during the goodbye and reads a missing entry. The removal takes the
lock of the exchange; it has to run when the goodbye fails as well.
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
        self.exchange.drop(self.number)  # want "removed before ended is set"
        reply = self.line.goodbye()
        # no word: the other side has hung up first
        if reply is None:
            self.ended = "cut"
            return
        self.ended = "ended"

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
