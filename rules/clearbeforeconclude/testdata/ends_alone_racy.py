"""A task that ends a call: it removes the entry, says goodbye, and marks the call by the reply.

Racy: mark() may be asked during the goodbye and reads a missing entry. Nobody else removes
the entry, so that it has to go when the goodbye fails as well.
"""

import asyncio
import logging
import time

log = logging.getLogger(__name__)


class Exchange:
    def __init__(self, events):
        self.events = events
        self.entries = {}
        self.calls = {}

    async def run(self):
        self.reader = asyncio.create_task(self._read())

    async def _read(self):
        while True:
            event = await self.events.next()
            call = self.calls.get(event.number)
            if call is None:
                continue
            try:
                await call.end()
            except OSError:
                log.exception("goodbye to %r", event.number)


class Call:
    def __init__(self, exchange: Exchange, number, line):
        self.exchange = exchange
        self.number = number
        self.line = line
        self.ended = None
        exchange.entries[number] = time.monotonic() + 60
        exchange.calls[number] = self

    async def end(self):
        self.exchange.entries.pop(self.number, None)  # want "removed before ended is set"
        self.line.reply = await self.line.goodbye()
        self.ended = "ended" if self.line.reply else "cut"

    def mark(self):
        if self.ended is not None:
            return self.ended
        late = time.monotonic() > self.exchange.entries[self.number]
        return "late" if late else "up"

    def forget(self):
        if self.ended is not None:
            self.exchange.entries.pop(self.number, None)
        self.exchange.calls.pop(self.number, None)
