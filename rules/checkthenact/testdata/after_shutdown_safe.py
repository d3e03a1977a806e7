"""The table is emptied only after the pool has been shut down."""

from concurrent.futures import ThreadPoolExecutor


class Transfers:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.targets = {}

    def start(self, rid, target):
        self.targets[rid] = target
        self.pool.submit(self._send, rid)

    def _send(self, rid):
        if rid in self.targets:
            self.targets[rid].send()

    def close(self):
        self.pool.shutdown()
        self.targets.clear()
