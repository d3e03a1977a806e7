import asyncio
import threading
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, as_completed, wait


class Mill:
    def __init__(self):
        self.flour = {}
        self.jobs = []
        self.lock = threading.Lock()
        self.pool = ThreadPoolExecutor(4)

    def grind(self, sack):
        self.flour[sack] = 1

    def sift(self, sack):
        del self.flour[sack]

    def left(self, sacks):
        with ThreadPoolExecutor(2) as pool:
            pool.submit(self.grind, sacks)
            if sacks:
                return
        list(self.pool.map(self.sift, sacks))

    def listed(self, sacks):
        jobs = [self.pool.submit(self.grind, s) for s in sacks]
        if jobs:
            wait(jobs)
        pairs = []
        for s in sacks:
            pairs.append((s, self.pool.submit(self.sift, s)))
        for s, job in pairs:
            print(s, job.result())

    def pending(self, sacks):
        left = {self.pool.submit(self.grind, s) for s in sacks}
        while left:
            done, left = wait(left, return_when=FIRST_COMPLETED)
        for job in as_completed({self.pool.submit(self.sift, s): s for s in sacks}):
            if sacks:
                break

    def keep(self, sack):
        self.jobs.append(self.pool.submit(self.grind, sack))

    def kept(self):
        for job in self.jobs:
            job.exception()
        wait(self.jobs)

    def close(self):
        self.pool.shutdown(wait=False)
        self.pool.shutdown()

    async def tasks(self, sacks):
        async with asyncio.TaskGroup() as group:
            group.create_task(self.turn(1))
        turns = [asyncio.create_task(self.turn(s)) for s in sacks]
        await asyncio.gather(*turns)
        one = asyncio.create_task(self.turn(2))
        await one

    async def turn(self, sack):
        self.flour[sack] = 2
