"""Test and removal under one hold of the lock."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Slots:
    def __init__(self, size):
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.lock = threading.Lock()
        self.slots = {}

    def claim(self, rid, slot):
        with self.lock:
            self.slots[rid] = slot
        self.pool.submit(self._flush, rid)

    def _flush(self, rid):
        self._write(rid)
        with self.lock:
            if rid in self.slots:
                del self.slots[rid]

    def _write(self, rid):
        print("flushed", rid)

    def cancel(self, rid):
        with self.lock:
            self.slots.pop(rid, None)
