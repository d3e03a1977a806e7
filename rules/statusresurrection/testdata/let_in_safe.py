"""A guest knocks, is let in with all others, and may step out or be expelled meanwhile.

Right: who steps out was inside, so that he does not knock any more, and whoever else is taken
out is not let in later either.
"""

import asyncio


class House:
    def __init__(self, door):
        self.door = door
        self.knocking = {}
        self.inside = {}
        self.balcony = {}

    async def run(self):
        self.opener = asyncio.create_task(self._open())

    def knock(self, sid):
        self.knocking[sid] = 1

    async def _open(self):
        while True:
            await asyncio.sleep(0.1)
            self.inside.update(self.knocking)
            self.knocking.clear()

    def step_out(self, sid):
        if sid in self.inside:
            self.inside.pop(sid, None)
            self.balcony[sid] = 1

    def come_back(self, sid):
        if sid in self.balcony:
            self.balcony.pop(sid, None)
            self.inside[sid] = 1

    def leave(self, sid):
        self.knocking.pop(sid, None)
        self.inside.pop(sid, None)
        self.balcony.pop(sid, None)

    def expel(self, sid):
        if sid in self.knocking:
            del self.knocking[sid]
            self.door.show(sid)
        if sid in self.inside:
            del self.inside[sid]
            self.door.show(sid)
