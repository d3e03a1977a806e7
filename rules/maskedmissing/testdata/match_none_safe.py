"""A match statement on what the table holds for a stream.

Right: case None says "gone".
"""

import asyncio


class Streams:
    def __init__(self, source):
        self.source = source
        self.table = {}

    async def run(self):
        self.feeder = asyncio.create_task(self._feed())

    def attach(self, stream):
        self.table[stream] = 0
        asyncio.get_running_loop().call_later(30, self._expire, stream)

    def _expire(self, stream):
        if stream in self.table and self.table[stream] != 2:
            self.table[stream] = 3

    async def _feed(self):
        while True:
            stream = await self.source.next()
            if self.table.get(stream) in (0, 1):
                self.table[stream] += 1

    def state(self, stream):
        match self.table.get(stream):
            case 0 | 1:
                return "waiting"
            case 2:
                return "full"
            case _:
                return "gone"

    def detach(self, stream):
        self.table.pop(stream, None)
