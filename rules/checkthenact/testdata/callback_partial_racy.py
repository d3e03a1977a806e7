"""A done callback, bound with partial, deletes the future that poll may have taken already."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial


class Futures:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.futures = {}

    def start(self, rid, fn):
        future = self.pool.submit(fn)
        self.futures[rid] = future
        future.add_done_callback(partial(self._done, rid))

    def _done(self, rid, future):
        self.futures.pop(rid, None)

    def wait(self, rid):
        if (known := rid in self.futures) and known:
            return self.futures[rid].result(timeout=1)  # want "futures.rid. is tested, then read"
        return None
