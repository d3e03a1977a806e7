"""Workers of a pool count down the parts of a request; the last one ends it."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Parts:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=8)
        self.guard = threading.Lock()
        self.left = {}
        self.done = set()

    def send(self, rid, parts):
        self.left[rid] = len(parts)
        for part in parts:
            self.pool.submit(self._send, rid, part)

    def _send(self, rid, part):
        part.write()
        self.left[rid] -= 1  # want "left.rid. is read, changed and written back: a change by another Parts._send"
        if self.left[rid] == 0:
            self.done.add(rid)

    def poll(self, rid):
        return rid in self.done
