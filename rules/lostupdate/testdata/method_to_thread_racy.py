"""A router keeps what waits in a queue of a kind that is chosen when it starts.

Racy: a thread is given a method of the queue, and loses what the loop adds meanwhile.
"""

import asyncio
import threading


class Waiting:
    def __init__(self):
        self.orders = []

    def extend(self, order):
        self.orders.append(order)

    def take_ready(self, ready):
        taken = [order for order in self.orders if order.rid in ready]
        self.orders = [order for order in self.orders if order.rid not in ready]  # want "orders is filtered"
        return taken


class Router:
    def __init__(self, link, make_queue):
        self.link = link
        self.queue = make_queue(Waiting)
        self.waiting = Waiting()

    async def loop(self):
        threading.Thread(target=self.link.pump, args=(self.queue.take_ready,), daemon=True).start()
        asyncio.create_task(self._receive())
        await self.link.closed()

    async def _receive(self):
        while True:
            order = await self.link.receive()
            self.queue.extend(order)
            self.waiting.extend(order)
