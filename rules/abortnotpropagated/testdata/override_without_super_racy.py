"""A base whose abort() writes the flag and the table; a class with a peer overrides it.

Racy: the override tells the peer and sets the flag, and forgets the table, which the feeding
thread reads.
"""

import threading
import time
from enum import IntEnum
from functools import partial


class Code(IntEnum):
    ERROR = 0
    BUSY = 1
    OK = 2


class Table:
    def __init__(self, feed, sink):
        self.feed = feed
        self.sink = sink
        self.lock = threading.Lock()
        self.codes = {}
        threading.Thread(target=partial(self._run, 1), daemon=True).start()

    def _run(self, step):
        while True:
            item = self.feed.get()
            with self.lock:
                if self.codes.get(item.key) != Code.BUSY:
                    continue
            try:
                self.sink.write(item.data[::step])
            except Exception:
                self.settle(item.key, Code.ERROR)
                continue
            if item.last:
                self.settle(item.key, Code.OK)

    def settle(self, key, code):
        with self.lock:
            if self.codes.get(key) == Code.BUSY:
                self.codes[key] = code


class Fetch:
    def __init__(self, table: Table, key):
        self.table = table
        self.key = key
        self.conclusion = None
        self.until = time.monotonic() + 30
        with table.lock:
            table.codes[key] = Code.BUSY

    def probe(self):
        if self.conclusion is not None:
            return self.conclusion
        if time.monotonic() > self.until:
            self.table.settle(self.key, Code.ERROR)
        with self.table.lock:
            return self.table.codes.get(self.key, Code.ERROR)

    def abort(self):
        if self.conclusion is None:
            self.conclusion = Code.ERROR
            self.table.settle(self.key, Code.ERROR)

    def close(self):
        with self.table.lock:
            self.table.codes.pop(self.key, None)


class RemoteFetch(Fetch):
    def __init__(self, table: Table, key, peer):
        super().__init__(table, key)
        self.peer = peer

    def abort(self):  # want "abort|codes"
        if self.conclusion is None:
            self.conclusion = Code.ERROR
        self.peer.tell("abort", self.key)
