"""No await in the body: nothing else runs on the loop meanwhile."""


class Sessions:
    def __init__(self):
        self.open = {}

    async def begin(self, sid, conn):
        self.open[sid] = conn

    async def flush(self):
        waiting = []
        for conn in self.open.values():
            waiting.append(conn.drain())
        for w in waiting:
            await w

    async def end(self, sid):
        self.open.pop(sid, None)
