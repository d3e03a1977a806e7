"""A reader task marks calls as answered; mark() is asked by another task.

Right: the loop calls _expire() for each call after ten seconds.
"""

import asyncio


class Calls:
    def __init__(self, channel):
        self.channel = channel
        self.marks = {}

    async def run(self):
        self.reader = asyncio.create_task(self._read())

    async def call(self, number):
        self.marks[number] = "ringing"
        asyncio.get_running_loop().call_later(10, self._expire, number)
        await self.channel.send(number)

    async def _read(self):
        while True:
            number = await self.channel.receive()
            if self.marks.get(number) == "ringing":
                self.marks[number] = "answered"

    def _expire(self, number):
        if self.marks.get(number) == "ringing":
            self.marks[number] = "dead"

    def mark(self, number):
        return self.marks.get(number, "dead")

    def forget(self, number):
        self.marks.pop(number, None)
