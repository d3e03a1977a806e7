import asyncio


class Room:
    def __init__(self):
        self.rows = {}
        self.gate = asyncio.Lock()

    async def enter(self, key):
        async with self.gate:
            self.rows[key] = 0
        await asyncio.sleep(0)
        self.rows.pop(key)

    async def all(self, keys):
        await asyncio.gather(*(self.enter(k) for k in keys))

    async def stream(self, source):
        async for key in source:
            self.rows[key] = 1
