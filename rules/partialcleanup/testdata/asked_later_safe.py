"""A desk runs jobs in the background and keeps what they have come to.

Right: the answers stay on purpose, since clients come back for them by the ticket;
what is left of the job itself goes when it is over.
"""

import asyncio


class Desk:
    def __init__(self, engine):
        self.engine = engine
        self.lock = asyncio.Lock()
        self.answers = {}
        self.jobs = {}

    async def submit(self, order):
        async with self.lock:
            self.answers[order.ticket] = Answer(order.ticket)
        job = asyncio.create_task(self._work(order.ticket, order.text))
        self.jobs[order.ticket] = job
        job.add_done_callback(lambda _: self.jobs.pop(order.ticket, None))
        return order.ticket

    async def _work(self, ticket, text):
        result = await self.engine.run(text)
        async with self.lock:
            self.answers[ticket] = Answer(ticket, result)

    async def fetch(self, ticket):
        async with self.lock:
            answer = self.answers.get(ticket)
        if answer is None:
            return "unknown"
        return answer


class Answer:
    def __init__(self, ticket, result=None):
        self.ticket = ticket
        self.result = result
