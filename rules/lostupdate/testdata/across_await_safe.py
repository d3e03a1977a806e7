"""No await between the copy and the store: the loop runs nothing else meanwhile."""


class Waiting:
    def __init__(self, net):
        self.net = net
        self.waiting = {}

    async def add(self, rid, req):
        self.waiting[rid] = req

    async def sweep(self):
        alive = await self.net.all_alive()
        self.waiting = {k: r for k, r in self.waiting.items() if k in alive}
