"""A desk runs jobs in the background and keeps the orders they are about.

Leaks: the end of a job forgets the job, nothing forgets its order, which only the desk
itself looks up.
"""

import asyncio


class Desk:
    def __init__(self, engine):
        self.engine = engine
        self.lock = asyncio.Lock()
        self.orders = {}
        self.jobs = {}

    async def submit(self, order):
        async with self.lock:
            self.orders[order.ticket] = order.text  # want "orders.* never removed"
        job = asyncio.create_task(self._work(order.ticket))
        self.jobs[order.ticket] = job

        def done(_):
            self.jobs.pop(order.ticket, None)

        job.add_done_callback(done)
        return order.ticket

    async def _work(self, ticket):
        async with self.lock:
            text = self.orders.get(ticket)
        await self.engine.run(text)

    async def length(self, ticket):
        async with self.lock:
            text = self.orders.get(ticket)
        if text is None:
            return 0
        return len(text)
