"""Tasks strike themselves off when they are done, while a loop over them waits for each."""

import asyncio


class Bakers:
    def __init__(self):
        self.loaves = set()

    async def bake(self, dough):
        loaf = asyncio.create_task(dough.bake())
        self.loaves.add(loaf)
        loaf.add_done_callback(self.loaves.discard)

    async def close(self):
        for loaf in self.loaves:  # want "self.loaves can change while this loop walks over it"
            loaf.cancel()
            await loaf
