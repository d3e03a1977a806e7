"""A reader task marks calls as answered; mark() is asked by another task.

Racy: no task ends a call whose answer never comes.
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
        await self.channel.send(number)

    async def _read(self):
        while True:
            number = await self.channel.receive()
            if self.marks.get(number) == "ringing":
                self.marks[number] = "answered"

    def mark(self, number):  # want "mark"
        return self.marks.get(number, "dead")

    def forget(self, number):
        self.marks.pop(number, None)
