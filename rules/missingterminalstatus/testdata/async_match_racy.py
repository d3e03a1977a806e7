"""A task takes orders from an asyncio queue and serves each by its kind.

Racy: an order of a kind it does not know goes back to the head of the loop, and its caller
polls "open" for ever.
"""

import asyncio


class Counter:
    def __init__(self, store):
        self.store = store
        self.orders = asyncio.Queue()
        self.replies = {}

    async def run(self):
        self.task = asyncio.create_task(self._serve())

    async def order(self, number, kind, pages):
        self.replies[number] = "open"
        await self.orders.put((number, kind, pages))

    async def _serve(self):
        while True:
            order = await self.orders.get()
            number, pages = order[0], order[2]
            match order[1]:
                case "load":
                    reply = await self._try(self.store.load, pages)
                case "save":
                    reply = await self._try(self.store.save, pages)
                case _:
                    continue  # want "replies|_serve"
            self._reply(number, reply)

    async def _try(self, action, pages):
        try:
            await asyncio.wait_for(action(pages), 10)
        except Exception:
            return "failed"
        return "served"

    def _reply(self, number, reply):
        if self.replies.get(number) == "open":
            self.replies[number] = reply

    def reply(self, number):
        return self.replies.get(number, "failed")

    def settle(self, number):
        self.replies.pop(number, None)
