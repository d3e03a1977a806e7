import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial


class Starter:
    def __init__(self):
        self.rows = {}
        self.pool = ThreadPoolExecutor(2)
        threading.Thread(target=self.method).start()
        threading.Thread(target=lambda: self.rows.pop(1)).start()
        threading.Thread(target=partial(self.bound, 2)).start()
        threading.Timer(3, self.late).start()

        def nested():
            self.rows[4] = 0

        for _ in range(2):
            threading.Thread(target=nested).start()

    def method(self):
        while True:
            self.rows.clear()

    def bound(self, key):
        self.rows[key] = 0

    def late(self):
        self.rows[3] = 0

    def send(self, key):
        self.pool.submit(self.work, key).add_done_callback(self.finish)

    def work(self, key):
        self.rows[key] = 1

    def finish(self, future):
        self.rows.pop(5, None)

    async def serve(self, key):
        task = asyncio.create_task(self.answer(key))
        await task
        del self.rows[key]

    async def answer(self, key):
        self.rows[key] = 6


class Worker(threading.Thread):
    def __init__(self):
        super().__init__()
        self.rows = {}

    def run(self):
        self.rows[7] = 0

    def stop(self):
        self.rows.clear()
        self.join()
