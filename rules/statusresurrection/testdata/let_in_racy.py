"""A guest knocks, is let in with all others, and may step out meanwhile.

Racy: who calls off before he is let in gets in all the same. Nobody is inside before he is let
in: to let in only those who are would keep everybody out.
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
            self.inside.update(self.knocking)  # want "an entry of inside is stored even when House.call_off has removed it"
            self.knocking.clear()

    def step_out(self, sid):
        if sid in self.inside:
            self.inside.pop(sid, None)
            self.balcony[sid] = 1

    def call_off(self, sid):
        self.inside.pop(sid, None)
        self.balcony.pop(sid, None)

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
