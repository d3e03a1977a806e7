"""A coroutine waits in the body of its loop; another one removes meanwhile."""


class Sessions:
    def __init__(self):
        self.open = {}

    async def begin(self, sid, conn):
        self.open[sid] = conn

    async def flush(self):
        for conn in self.open.values():  # want "self.open.values.. can change"
            await conn.drain()

    async def end(self, sid):
        self.open.pop(sid, None)
