"""Coroutines that load requests mark them as loading.

Leaks: a preempted request stays marked. finish() takes the mark off, but of known requests only.
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
        self.known.pop(rid, None)  # want "loading stays"
        await asyncio.sleep(0)
