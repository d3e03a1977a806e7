"""Coroutines that load requests mark them as loading.

Right: preempt() takes the mark off.
"""

import asyncio


class Loader:
    def __init__(self, store):
        self.store = store
        self.known = {}
        self.loading = set()

    async def begin(self, rid, keys):
        self.known[rid] = keys
        self.loading.add(rid)
        await self.store.open(keys)

    async def finish(self, rid):
        keys = self.known.get(rid)
        if keys is None:
            return
        self.loading.discard(rid)
        await self.store.close(keys)
        self.known.pop(rid, None)

    async def preempt(self, rid):
        self.known.pop(rid, None)
        self.loading.discard(rid)
        await asyncio.sleep(0)
