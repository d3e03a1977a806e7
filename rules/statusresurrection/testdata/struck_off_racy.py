"""Rooms whose peer may still fetch: a set, beside the rooms that are over.

Racy: the word of a fast peer takes a room off that lend() has not put there yet. sweep() gives
up on a peer that has not said a word for a minute, and ends the room again.
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
            self.over.append(word.room)
            self.out.discard(word.room)

    async def lend(self, rooms):
        for room in rooms:
            self.out.add(room)  # want "put on out even when Loans.listen has ended it"

    async def sweep(self):
        while self.out and time.monotonic() - self.heard > 60:
            self.over.append(self.out.pop())

    async def collect(self):
        over, self.over = self.over, []
        return over
