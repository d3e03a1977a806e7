"""Regulars are let in each morning, and go home at night.

Right: who is among the regulars is still known; who is struck off them is not let in again.
"""

import asyncio


class House:
    def __init__(self):
        self.regulars = {}
        self.inside = {}

    async def run(self):
        self.opener = asyncio.create_task(self._open())

    def enlist(self, sid):
        self.regulars[sid] = 1

    def knock(self, sid):
        self.inside[sid] = 1

    async def _open(self):
        while True:
            await asyncio.sleep(86400)
            self.inside.update(self.regulars)

    def go_home(self, sid):
        self.inside.pop(sid, None)

    def strike(self, sid):
        self.regulars.pop(sid, None)
        self.inside.pop(sid, None)
