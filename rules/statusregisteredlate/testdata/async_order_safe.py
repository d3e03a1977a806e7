"""accept() gives the stream a mode, stores its reader, and then awaits its first bytes.

Right: a reset finds the mode from the first await on.
"""

import asyncio


class Streams:
    def __init__(self, transport):
        self.transport = transport
        self.readers = {}
        self.modes = {}

    async def run(self):
        self.resets = asyncio.create_task(self._resets())

    async def accept(self, number):
        self.modes[number] = "open"
        self.readers[number] = self.transport.reader(number)
        asyncio.get_running_loop().call_later(60, self._late, number)
        await self.transport.first_bytes(number)

    def _late(self, number):
        if self.modes.get(number) == "open":
            self.modes[number] = "reset"
            self.readers.pop(number, None)

    async def _resets(self):
        while True:
            number = await self.transport.next_reset()
            match self.modes.get(number):
                case "open":
                    self.modes[number] = "reset"
                    self.readers.pop(number, None)
                case _:
                    pass

    def complete(self, number):
        if self.modes.get(number) == "open":
            self.modes[number] = "complete"

    def mode(self, number):
        return self.modes.get(number, "reset")

    def forget(self, number):
        self.readers.pop(number, None)
        self.modes.pop(number, None)
