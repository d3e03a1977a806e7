"""A router keeps what waits in a queue of a kind that is chosen when it starts.

Right: only the loop of the router works on the queue, whatever its class.
"""

import asyncio


class Waiting:
    def __init__(self):
        self.orders = []

    def extend(self, order):
        self.orders.append(order)

    def take_ready(self, ready):
        taken = [order for order in self.orders if order.rid in ready]
        self.orders = [order for order in self.orders if order.rid not in ready]
        return taken


class Router:
    def __init__(self, link, make_queue):
        self.link = link
        self.queue = make_queue(Waiting)
        self.waiting = Waiting()

    async def loop(self):
        asyncio.create_task(self._receive())
        while True:
            await asyncio.sleep(0.01)
            self.link.send(self.queue.take_ready(self.link.ready()))

    async def _receive(self):
        while True:
            order = await self.link.receive()
            self.queue.extend(order)
            self.waiting.extend(order)
