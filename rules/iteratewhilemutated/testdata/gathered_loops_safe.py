"""A desk takes jobs in one loop and shows them in another one; both are gathered.

Right: what is shown is a copy.
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
            for rid in list(self.jobs):
                await self.board.show(rid)
            await asyncio.sleep(1)

    async def run(self):
        await asyncio.gather(self._take(), self._show())

    async def open(self):
        self.runner = asyncio.create_task(self.run())
