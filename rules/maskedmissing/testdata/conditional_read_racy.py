"""A conditional expression reads the table, keyed by (rank, rid).

Racy: withdraw() removes the entry of a transfer that is still polled, and state() takes the
missing one for BUSY.
"""

import threading
from concurrent.futures import ThreadPoolExecutor

BUSY, DONE, FAULT = 1, 2, 3


class Transfers:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.table = {}
        self.pool = ThreadPoolExecutor(2)

    def start(self, rank, rid, pages):
        with self.lock:
            self.table[(rank, rid)] = BUSY
        self.pool.submit(self._move, (rank, rid), pages)

    def _move(self, key, pages):
        try:
            self.engine.move(pages, timeout=30)
            code = DONE
        except Exception:
            code = FAULT
        with self.lock:
            if key in self.table:
                self.table[key] = code

    def state(self, rank, rid):
        key = (rank, rid)
        with self.lock:
            return self.table[key] if key in self.table else BUSY  # want "table"

    def withdraw(self, rank, rid):
        with self.lock:
            self.table.pop((rank, rid), None)
