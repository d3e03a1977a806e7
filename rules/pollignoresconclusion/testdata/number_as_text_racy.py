"""A task that reads answers, and a call that can be cancelled, all on one loop.

Racy: cancel() notes the call in `cancelled` and takes it out of `open`; mark() reads the marks
only. It is given the number as text, and knows the call once it has made a number of it.
"""

import asyncio


class Calls:
    def __init__(self, channel):
        self.channel = channel
        self.marks = {}
        self.open = set()
        self.cancelled = set()

    async def run(self):
        self.reader = asyncio.create_task(self._read())

    def call(self, number):
        self.marks[number] = "ringing"
        self.open.add(number)
        asyncio.get_running_loop().call_later(3600, self._late, number)

    async def _read(self):
        while True:
            number = await self.channel.receive()
            if number in self.open:
                self.open.discard(number)
                self.marks[number] = "answered"

    def _late(self, number):
        if number in self.open:
            self.open.discard(number)
            self.marks[number] = "missed"

    def cancel(self, number):
        if number in self.open:
            self.open.discard(number)
            self.cancelled.add(number)

    def mark(self, number, /, *, default="missed"):  # want "Calls.mark can answer that the request is alive"
        """Says how far the call is."""
        number = int(number)
        return self.marks.get(number, "missed")

    def forget(self, number):
        self.marks.pop(number, None)
        self.open.discard(number)
        self.cancelled.discard(number)
