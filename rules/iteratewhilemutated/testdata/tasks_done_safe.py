"""A round of postmen, each of whom keeps a note of the door at which he is.

Right: the group is left when all have been at their doors.
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
        for door in self.at:
            await self.street.thank(door)
