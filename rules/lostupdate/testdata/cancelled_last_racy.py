"""A desk takes jobs in a task for each source, and does each job in another one.

Racy: to stop, it ends the task that it has started last. Another one goes on to add jobs.
"""

import asyncio


class Desk:
    def __init__(self, source):
        self.source = source
        self.jobs = {}
        self.taker = None

    async def listen(self, source):
        self.taker = asyncio.create_task(self._take(source))

    async def _take(self, source):
        while True:
            rid = await source.next()
            self.jobs[rid] = asyncio.create_task(self._do(rid))  # want "what is added to jobs here can be lost"

    async def _do(self, rid):
        await self.source.work(rid)

    async def stop(self):
        if self.taker is not None:
            if not self.taker.done():
                self.taker.cancel()
            try:
                await self.taker
            except asyncio.CancelledError:
                pass
        running = list(self.jobs.values())
        for job in running:
            job.cancel()
        if running:
            await asyncio.gather(*running, return_exceptions=True)
        self.jobs.clear()

    def count(self):
        return len(self.jobs)
