"""A task makes room by dropping the oldest entry that is not held, until there is enough.

Right: the search for an entry has no await in it, so nobody on the loop can insert meanwhile. The
await comes between one search and the next.
"""

import asyncio


class Shelf:
    def __init__(self, store):
        self.store = store
        self.entries = {}
        self.size = 8

    async def put(self, name, entry):
        while len(self.entries) >= self.size:
            victim = self.oldest()
            if victim is None:
                return False
            self.entries.pop(victim, None)
            await self.store.forget(victim)
        self.entries[name] = entry
        return True

    def oldest(self):
        for name, entry in self.entries.items():
            if not entry.held:
                return name
        return None

    async def sweep(self):
        while True:
            await asyncio.sleep(1)
            for name in list(self.entries):
                if self.entries[name].expired:
                    self.entries.pop(name, None)
