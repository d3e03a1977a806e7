"""A desk takes jobs in one task and does each in another; to stop, it ends the first one first.

Right: nobody adds a job any more once the task that takes them has been cancelled and gathered.
"""

import asyncio


class Desk:
    def __init__(self, source):
        self.source = source
        self.jobs = {}
        self.taker = None

    async def start(self):
        self.taker = asyncio.create_task(self._take())

    async def _take(self):
        while True:
            rid = await self.source.next()
            self.jobs[rid] = asyncio.create_task(self._do(rid))

    async def _do(self, rid):
        await self.source.work(rid)

    async def stop(self):
        if self.taker is not None:
            if not self.taker.done():
                self.taker.cancel()
            await asyncio.gather(self.taker, return_exceptions=True)
        running = list(self.jobs.values())
        for job in running:
            job.cancel()
        if running:
            await asyncio.gather(*running, return_exceptions=True)
        self.jobs.clear()

    def count(self):
        return len(self.jobs)
