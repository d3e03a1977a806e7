"""A desk takes jobs in one loop and shows them in another one; both are gathered.

Racy: neither loop ends, so both run, and a job can come while the others are shown.
"""

import asyncio


class Desk:
    def __init__(self, source, board):
        self.source = source
        self.board = board
        self.jobs = {}

    async def _take(self):
        while True:
            rid = await self.source.next()
            self.jobs[rid] = 1

    async def _show(self):
        while True:
            for rid in self.jobs:  # want "self.jobs can change while this loop walks over it"
                await self.board.show(rid)
            await asyncio.sleep(1)

    async def run(self):
        await asyncio.gather(self._take(), self._show())

    async def open(self):
        self.runner = asyncio.create_task(self.run())
