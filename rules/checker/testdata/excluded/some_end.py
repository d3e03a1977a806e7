"""A walk over what tasks have entered, behind a gather that one of them can leave early.

KV202: found. The others are still at it then.
"""

import asyncio


class Round:
    def __init__(self, street):
        self.street = street
        self.doors = {}

    async def _ring(self, door):
        self.doors[door] = await self.street.find(door)
        if not await self.street.ring(door):
            del self.doors[door]

    async def walk(self, doors):
        tasks = [asyncio.create_task(self._ring(door)) for door in doors]
        try:
            await asyncio.gather(*tasks)
        except OSError:
            pass
        for door in self.doors:
            await self.street.thank(door)
