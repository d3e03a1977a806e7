"""All of it runs on one event loop, in tasks that meet at their awaits.

Right: the mode is set before the first await, so a revocation always finds it.
"""

import asyncio
import time


class Gate:
    def __init__(self, transport):
        self.transport = transport
        self.grants = {}
        self.modes = {}

    async def run(self):
        self.reader = asyncio.create_task(self._read())
        self.watchdog = asyncio.create_task(self._watch())

    async def accept(self, call):
        self.grants[call] = time.monotonic() + 5
        self.modes[call] = "up"
        await self.transport.greet(call)

    async def _read(self):
        while True:
            event = await self.transport.next_event()
            if event.kind == "revoked":
                self.grants.pop(event.call, None)
                if event.call in self.modes:
                    self._move(event.call, "down")
            elif event.kind == "served":
                self._move(event.call, "served")

    async def _watch(self):
        while True:
            await asyncio.sleep(1)
            for call, end in list(self.grants.items()):
                if time.monotonic() > end:
                    self._move(call, "down")

    def _move(self, call, mode):
        if self.modes.get(call) == "up":
            self.modes[call] = mode

    def mode(self, call):
        return self.modes.get(call, "down")

    def remove(self, call):
        self.grants.pop(call, None)
        self.modes.pop(call, None)
