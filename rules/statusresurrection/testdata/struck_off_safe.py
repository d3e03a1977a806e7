"""Rooms whose peer may still fetch: a set, beside the rooms that are over.

Right: a word about a room that is not lent is not taken for its end. sweep() ends the rest when
the peer has not said a word for a minute.
"""

import asyncio
import time


class Loans:
    def __init__(self, stream):
        self.stream = stream
        self.out = set()
        self.over = []
        self.heard = time.monotonic()

    async def start(self):
        asyncio.create_task(self.listen())

    async def listen(self):
        while True:
            word = await self.stream.read()
            self.heard = time.monotonic()
            if word.room in self.out:
                self.out.discard(word.room)
                self.over.append(word.room)

    async def lend(self, rooms):
        for room in rooms:
            self.out.add(room)

    async def sweep(self):
        while self.out and time.monotonic() - self.heard > 60:
            self.over.append(self.out.pop())

    async def collect(self):
        over, self.over = self.over, []
        return over
