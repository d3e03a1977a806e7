"""Answers come over a socket and are told to who waits for them, all on one event loop.

Right: an answer that comes too late finds nobody, and is dropped.
"""

import asyncio


class Client:
    def __init__(self, link):
        self.link = link
        self.waiting = {}
        self.task = None

    async def start(self):
        self.task = asyncio.create_task(self._listen())

    async def ask(self, rid, question):
        slot = asyncio.Queue()
        self.waiting[rid] = slot
        await self.link.send((rid, question))
        try:
            return await asyncio.wait_for(slot.get(), 5)
        except asyncio.TimeoutError:
            self.waiting.pop(rid, None)
            return None

    async def _listen(self):
        while True:
            rid, answer = await self.link.receive()
            slot = self.waiting.pop(rid, None)
            if slot is not None:
                slot.put_nowait(answer)
