"""A hook stops a job that is on the board: it takes the card off, stops the job, and marks it.

Racy: state() may be asked while the job is stopped and reads a missing card. The card decides who
stops the job, so that it cannot be taken off later; the mark can be set at once.
"""

import asyncio


class Board:
    def __init__(self, wire):
        self.wire = wire
        self.cards = {}

    async def start(self):
        self.reader = asyncio.create_task(self._read())

    async def _read(self):
        while True:
            card = await self.wire.next()
            if card.number in self.cards:
                self.cards[card.number] = card


class Job:
    def __init__(self, board: Board, number, card):
        self.board = board
        self.number = number
        self.over = None
        board.cards[number] = card

    async def stop(self):
        if self.number in self.board.cards:
            self.board.cards.pop(self.number, None)  # want "cards"
            try:
                await self.board.wire.stop(self.number)
            finally:
                self.over = "stopped"

    async def state(self):
        if self.over is not None:
            return self.over
        return self.board.cards[self.number].state

    async def close(self):
        self.board.cards.pop(self.number, None)
