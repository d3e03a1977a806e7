"""hang_up() moves a call to "down"; the writer task of the call asks `closing` before each piece.

Racy: hang_up() does not put the call there, and the writer goes on to the last piece.
"""

import asyncio


class Calls:
    def __init__(self, line):
        self.line = line
        self.modes = {}
        self.closing = set()
        self.writers = {}

    def call(self, number, pieces):
        self.modes[number] = "up"
        self.writers[number] = asyncio.create_task(self._write(number, pieces))

    async def _write(self, number, pieces):
        mode = "said"
        try:
            for piece in pieces:
                if number in self.closing or number not in self.modes:
                    mode = "down"
                    break
                await asyncio.wait_for(self.line.say(number, piece), 5)
        except Exception:
            mode = "down"
        if self.modes.get(number) == "up":
            self.modes[number] = mode

    async def refuse(self, number):
        if self.modes.get(number) == "up":
            self.closing.add(number)
            self.modes[number] = "down"

    def hang_up(self, number):  # want "hang_up|closing"
        if self.modes.get(number) == "up":
            self.modes[number] = "down"

    def mode(self, number):
        return self.modes.get(number, "down")

    def forget(self, number):
        self.modes.pop(number, None)
        self.closing.discard(number)
        self.writers.pop(number, None)
