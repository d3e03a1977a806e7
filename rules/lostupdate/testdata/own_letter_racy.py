"""An office that writes down what each caller dictates.

Wrong: all write on one sheet. What another caller says while the text of one is
sent is wiped with it.
"""

import asyncio


class Letter:
    def __init__(self, line):
        self.line = line
        self.words = []

    async def read(self):
        while True:
            word = await self.line.receive()
            self.words.append(word)  # want "what is added to words here can be lost"
            if word == "stop":
                text = " ".join(self.words)
                await self.line.send(text)
                self.words.clear()


class Office:
    def __init__(self):
        self.served = set()
        self.sheet = Letter(None)

    async def serve(self, line):
        letter = self.sheet
        letter.line = line
        self.served.add(line)
        try:
            await letter.read()
        finally:
            self.served.discard(line)


class Door:
    def __init__(self, office: Office):
        self.office = office

    async def accept(self, bell):
        while True:
            line = await bell.ring()
            asyncio.create_task(self.office.serve(line))
