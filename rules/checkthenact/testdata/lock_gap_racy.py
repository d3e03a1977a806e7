"""The same lock at the test and at the use, but let go in between.

Racy: a second pool worker, or cancel(), can remove the slot while this one computes.
"""

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
        with self.lock:
            known = rid in self.slots
        if not known:
            return
        self._write(rid)
        with self.lock:
            del self.slots[rid]  # want "slots.* is tested, then removed"

    def _write(self, rid):
        print("flushed", rid)

    def cancel(self, rid):
        with self.lock:
            self.slots.pop(rid, None)
