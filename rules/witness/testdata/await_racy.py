import asyncio


class Server:
    def __init__(self):
        self.tasks = {}

    async def drop(self, key):
        if key in self.tasks:
            await self.flush(key)
            del self.tasks[key]

    async def cancel(self, key):
        self.tasks.pop(key, None)

    async def add(self, key):
        self.tasks[key] = 1
