"""Tasks that strike themselves off when they are done do so on the loop: not within a loop that does not wait."""

import asyncio


class Bakers:
    def __init__(self):
        self.loaves = set()

    async def bake(self, dough):
        loaf = asyncio.create_task(dough.bake())
        self.loaves.add(loaf)
        loaf.add_done_callback(self.loaves.discard)

    def count(self):
        ready = 0
        for loaf in self.loaves:
            if loaf.done():
                ready += 1
        return ready

    async def close(self):
        for loaf in self.loaves:
            loaf.cancel()
        await asyncio.gather(*self.loaves, return_exceptions=True)

    async def close_in_turn(self):
        for loaf in list(self.loaves):
            loaf.cancel()
            await loaf
