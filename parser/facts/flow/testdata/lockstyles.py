import asyncio
import threading
from contextlib import ExitStack, nullcontext
from functools import wraps

BIG = threading.Lock()
rows = {}


def locked(method):
    @wraps(method)
    def inner(self, *args):
        with self.lock:
            return method(self, *args)

    return inner


class Base:
    shared = threading.Lock()

    def __init__(self):
        self.lock = threading.Lock()


class Styles(Base):
    """Takes locks in many ways."""

    def __init__(self):
        super().__init__()
        self.slots = threading.Semaphore(1)
        self.bounded = threading.BoundedSemaphore()
        self.rows = {}
        self.peers = {}
        self.sockets = {}

    def inherited(self, key):
        with self.lock:
            self.rows[key] = 1

    def of_class(self, key):
        with Base.shared, self.lock:
            self.rows[key] = 2

    def of_self_class(self, key):
        with self.shared:
            self.rows[key] = 3

    def of_module(self, key):
        with BIG:
            rows[key] = 4
            rows.pop(key, None)

    def semaphore(self, key):
        with self.slots:
            self.rows[key] = 5
        self.bounded.acquire()
        try:
            self.rows[key] = 6
        finally:
            self.bounded.release()

    @locked
    def decorated(self, key):
        self.rows.pop(key)

    def stacked(self, key):
        with ExitStack() as stack:
            stack.enter_context(self.lock)
            self.rows[key] = 7
        self.rows[key] = 8

    def tried(self, key):
        if self.lock.acquire(blocking=False):
            try:
                self.rows[key] = 9
            finally:
                self.lock.release()
        else:
            self.rows.get(key)

    def local_name(self, key):
        lock = self.lock
        with lock:
            self.rows[key] = 10

    def maybe(self, key, safe):
        with self.lock if safe else nullcontext():
            self.rows[key] = 11

    def connect(self, peer):
        with self.lock:
            if peer not in self.sockets:
                self.sockets[peer] = object()
                self.peers[peer] = threading.Lock()
            return self.sockets[peer], self.peers[peer]

    def handed_out(self, peer):
        socket, lock = self.connect(peer)
        with lock:
            socket.send(b"")
            self.rows[peer] = 12

    def only_under_lock(self, key):
        with self.lock:
            self._helper(key)
            for k in list(self.rows):
                self._helper(k)

    def _helper(self, key):
        self.rows.pop(key, None)


class Record:
    def __init__(self):
        self.lock = threading.Lock()
        self.parts = {}


class Records:
    """Keeps a lock with each record."""

    def __init__(self):
        self.records: dict[int, Record] = {}

    def add(self, key, part):
        record = self.records[key]
        with record.lock:
            record.parts[part] = 1

    def drop(self, key):
        with self.records[key].lock:
            self.records[key].parts.clear()
        del self.records[key]


class OnLoop:
    """Holds locks of a loop, which exclude no threads."""

    def __init__(self):
        self.lock = asyncio.Lock()
        self.free = asyncio.Semaphore(2)
        self.rows = {}

    async def put(self, key):
        async with self.lock:
            self.rows[key] = 1
            await asyncio.sleep(0)
            self.rows.pop(key)

    async def take(self, key):
        await self.lock.acquire()
        try:
            self.rows.pop(key, None)
        finally:
            self.lock.release()

    async def limited(self, key):
        async with self.free:
            self.rows[key] = 2
