"""An engine steps in a task; its scheduler, made by a function, is asked in that task alone.

Right: the batch changes where the task asks for the next one, and nothing is awaited while it is
walked over.
"""

import asyncio
from abc import ABC, abstractmethod


class Batch:
    def __init__(self):
        self.requests = []

    def add(self, request):
        self.requests.append(request)

    def lengths(self):
        return [r.length for r in self.requests]


class Scheduler(ABC):
    @abstractmethod
    def next_batch(self) -> Batch:
        raise NotImplementedError()


class Oldest(Scheduler):
    def __init__(self):
        self.batch = Batch()
        self.waiting = []

    def add(self, request):
        self.waiting.append(request)

    def next_batch(self) -> Batch:
        while len(self.batch.requests) > 8:
            self.waiting.append(self.batch.requests.pop(-1))
        if self.waiting:
            self.batch.add(self.waiting.pop(0))
        return self.batch


def scheduler_for(name) -> Scheduler:
    if name == "oldest":
        return Oldest()
    raise ValueError(name)


class Engine:
    def __init__(self, name, card):
        self.card = card
        self.scheduler: Scheduler = scheduler_for(name)

    async def step(self):
        batch = self.scheduler.next_batch()
        total = sum(batch.lengths())
        await self.card.run(total)

    async def run(self):
        async def steps():
            while True:
                await self.step()

        async def status():
            while True:
                await asyncio.sleep(5)
                print("alive")

        await asyncio.gather(status(), steps())


async def main(engine: Engine):
    await asyncio.create_task(engine.run())
