"""A coroutine filters the waiting requests with an await between the copy and the store."""


class Waiting:
    def __init__(self, net):
        self.net = net
        self.waiting = {}

    async def add(self, rid, req):
        self.waiting[rid] = req

    async def sweep(self):
        self.waiting = {k: r for k, r in self.waiting.items() if await self.net.alive(r)}  # want "waiting is filtered and stored back"
