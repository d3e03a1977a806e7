"""Answers come over a socket and are told to who waits for them, all on one event loop.

Right: each question has an id of its own and is answered once, and who waits keeps its
entry until then.
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
        return await slot.get()

    async def _listen(self):
        while True:
            rid, answer = await self.link.receive()
            slot = self.waiting.pop(rid)
            slot.put_nowait(answer)
