"""A done callback stores what a lookup has found.

Right: the callback stores it only for a lookup that still has its entry, under the lock that
drop() takes.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

MISSING = -1
RUNNING = -2


class Index:
    def __init__(self, backend):
        self.backend = backend
        self.guard = threading.Lock()
        self.hits = {}
        self.pool = ThreadPoolExecutor(max_workers=2)

    def lookup(self, rid, tokens):
        with self.guard:
            self.hits[rid] = RUNNING
        future = self.pool.submit(self.backend.find, tokens, timeout=1)
        future.add_done_callback(partial(self._found, rid))

    def _found(self, rid, future):
        failed = future.exception() is not None
        with self.guard:
            if rid not in self.hits:
                return
            self.hits[rid] = MISSING if failed else future.result()

    def matched(self, rid):
        with self.guard:
            return self.hits.get(rid, MISSING)

    def drop(self, rid):
        with self.guard:
            self.hits.pop(rid, None)
