"""wait() takes the future with one get; walrus and None test."""

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
        if (future := self.futures.get(rid)) is not None:
            return future.result(timeout=1)
        return None
