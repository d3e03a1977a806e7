"""accept() stores the reader of a stream, awaits its first bytes, and then gives the stream a
mode.

Racy: a reset that comes with the first bytes finds no mode, and the mode that is stored
afterwards is "open".
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
        self.readers[number] = self.transport.reader(number)  # want "readers"
        await self.transport.first_bytes(number)
        self.modes[number] = "open"

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
