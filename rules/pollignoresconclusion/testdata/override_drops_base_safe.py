"""A base whose probe() answers the conclusion; a subclass that counts probes overrides it.

Right: the override counts and leaves the answer to the base.
"""

import threading
import time
from enum import IntEnum


class Code(IntEnum):
    ERROR = 0
    BUSY = 1
    OK = 2


class Table(threading.Thread):
    def __init__(self, feed):
        super().__init__(daemon=True)
        self.feed = feed
        self.lock = threading.Lock()
        self.codes = {}
        self.wanted = set()
        self.start()

    def run(self):
        while True:
            note = self.feed.get()
            with self.lock:
                if note.key in self.wanted:
                    self.wanted.discard(note.key)
                    self.codes[note.key] = Code.OK if note.good else Code.ERROR

    def code(self, key):
        with self.lock:
            return self.codes.get(key, Code.ERROR)


class Fetch:
    def __init__(self, table: Table, key):
        self.table = table
        self.key = key
        self.conclusion = None
        self.until = time.monotonic() + 30
        with table.lock:
            table.codes[key] = Code.BUSY
            table.wanted.add(key)

    def probe(self):
        if self.conclusion is None:
            code = self.table.code(self.key)
            if code == Code.BUSY and time.monotonic() < self.until:
                return code
            self.conclusion = Code.OK if code == Code.OK else Code.ERROR
        return self.conclusion

    def abandon(self):
        if self.conclusion is None:
            self.conclusion = Code.ERROR
        with self.table.lock:
            self.table.wanted.discard(self.key)

    def close(self):
        with self.table.lock:
            self.table.wanted.discard(self.key)
            self.table.codes.pop(self.key, None)


class CountedFetch(Fetch):
    def __init__(self, table: Table, key):
        super().__init__(table, key)
        self.probes = 0

    def probe(self):
        self.probes += 1
        return super().probe()
