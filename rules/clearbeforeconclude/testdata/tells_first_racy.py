"""A task that ends a call: it removes the entry, says goodbye unless the call has ended, and
marks it.

Racy: mark() may be asked during the goodbye and reads a missing entry. Nobody would say goodbye
once the call is marked, so that the removal has to wait.
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
        if self.ended is None:
            await self.line.goodbye()
        self.ended = "ended"

    def mark(self):
        if self.ended is not None:
            return self.ended
        late = time.monotonic() > self.exchange.entries[self.number]
        return "late" if late else "up"

    def forget(self):
        self.exchange.entries.pop(self.number, None)
        self.exchange.calls.pop(self.number, None)
