"""A guest knocks, is let in, and steps out to the balcony.

Racy: expel() looks for the guest at the door and inside. To remove one where he is not fails.
"""

import asyncio


class House:
    def __init__(self, door):
        self.door = door
        self.knocking = set()
        self.inside = set()
        self.balcony = set()

    async def run(self):
        self.opener = asyncio.create_task(self._open())

    def knock(self, sid):
        self.knocking.add(sid)

    async def _open(self):
        while True:
            await asyncio.sleep(0.1)
            self.inside |= self.knocking
            self.knocking.clear()

    def step_out(self, sid):
        if sid in self.inside:
            self.inside.discard(sid)
            self.balcony.add(sid)

    def come_back(self, sid):
        if sid in self.balcony:
            self.balcony.discard(sid)
            self.inside.add(sid)

    def leave(self, sid):
        self.knocking.discard(sid)
        self.inside.discard(sid)
        self.balcony.discard(sid)

    def expel(self, sid):  # want "looks in inside and knocking and not in balcony"
        if sid in self.knocking:
            self.knocking.remove(sid)
            self.door.show(sid)
        elif sid in self.inside:
            self.inside.remove(sid)
            self.door.show(sid)
