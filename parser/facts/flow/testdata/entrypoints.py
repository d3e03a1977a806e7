import asyncio
import concurrent.futures
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Thread, Timer

ROWS = {}


def sweep(rows, pause):
    while True:
        rows.clear()


def module_worker():
    ROWS.pop(1, None)


def start_module():
    ROWS[1] = 0
    Thread(None, module_worker).start()
    threading.Thread(target=module_worker, daemon=True, name="again").start()


class Many:
    """Starts threads, timers and pool jobs in many spellings."""

    def __init__(self):
        self.rows = {}
        self.threads = []
        self.executor = concurrent.futures.ThreadPoolExecutor(max_workers=4)
        self.sweeper = threading.Thread(target=sweep, args=(self.rows, 5))
        self.sweeper.start()
        for i in range(3):
            t = Thread(target=self.repeated, args=(i,))
            t.start()
            self.threads.append(t)
        worker = Job(self)
        worker.start()

    def repeated(self, i):
        self.rows.pop(i, None)

    def by_name(self, name):
        Thread(target=getattr(self, "named")).start()

    def named(self):
        self.rows[3] = 0

    def later(self, key):
        Timer(1.0, self.expire, args=[key]).start()
        Timer(interval=1.0, function=lambda: self.rows.pop(key, None)).start()

    def expire(self, key):
        self.rows.pop(key)

    def pooled(self, keys):
        with ThreadPoolExecutor() as pool:
            done = pool.submit(partial(self.job, 1), 2)
            list(pool.map(self.mapped, keys))
        done.add_done_callback(lambda future: self.rows.pop(4, None))

    def job(self, a, b):
        self.rows[a] = b

    def mapped(self, key):
        self.rows[key] = 5

    def close(self):
        self.rows.clear()
        for t in self.threads:
            t.join()


class Job(threading.Thread):
    """Is a thread that works on an object of another class."""

    def __init__(self, owner: Many):
        super().__init__(daemon=True)
        self.owner = owner

    def run(self):
        self.step()

    def step(self):
        self.owner.rows.pop(6, None)


class OnLoop:
    """Starts tasks and callbacks of an event loop."""

    def __init__(self):
        self.rows = {}
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever).start()

    def ask(self, key):
        self.rows[key] = 0
        asyncio.run_coroutine_threadsafe(self.work(key), self.loop)
        self.loop.call_soon_threadsafe(self.note, key)
        self.loop.call_later(3, self.note, key)

    async def work(self, key):
        await asyncio.sleep(1)
        del self.rows[key]

    def note(self, key):
        self.rows[key] = 1

    async def serve(self, key):
        asyncio.ensure_future(self.work(key))
        async with asyncio.TaskGroup() as group:
            group.create_task(self.work(key))
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, self.blocking, key)
        await asyncio.to_thread(self.blocking, key)
        await asyncio.gather(self.work(1), self.work(2))

    def blocking(self, key):
        self.rows.pop(key, None)


class Dispatch:
    """Handles messages by their tag."""

    def __init__(self, wire):
        self.rows = {}
        self.wire = wire
        self.handlers = {"put": self.put, "drop": self.drop}
        Thread(target=self.branches).start()
        Thread(target=self.matches).start()
        Thread(target=self.table).start()

    def branches(self):
        while True:
            tag, key = self.wire.get()
            if tag == "put":
                self.rows[key] = 1
            elif tag == "drop":
                self.rows.pop(key, None)

    def matches(self):
        while True:
            message = self.wire.get()
            match message:
                case ("put", key):
                    self.rows[key] = 1
                case ("drop", key):
                    self.rows.pop(key, None)

    def table(self):
        while True:
            tag, key = self.wire.get()
            self.handlers[tag](key)

    def put(self, key):
        self.rows[key] = 1

    def drop(self, key):
        self.rows.pop(key, None)
