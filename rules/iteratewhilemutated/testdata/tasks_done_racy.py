"""A round of postmen, each of whom keeps a note of the door at which he is.

Racy: the first doors are thanked while the others are still looked for.
"""

import asyncio


class Round:
    def __init__(self, street, doors):
        self.street = street
        self.at = {}
        asyncio.run(self.walk(doors))

    async def _deliver(self, door):
        self.at[door] = await self.street.find(door)
        if not await self.street.ring(door):
            del self.at[door]

    async def walk(self, doors):
        async with asyncio.TaskGroup() as men:
            for door in doors:
                men.create_task(self._deliver(door))
            for door in self.at:  # want "self.at can change while this loop walks over it: Round._deliver inserts"
                await self.street.thank(door)
