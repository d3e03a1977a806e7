"""The walk is in a helper; both of its callers hold the lock, and so does the insert."""

import threading


class Store:
    def __init__(self):
        self._lock = threading.RLock()
        self.blocks = {}
        self.timer = threading.Thread(target=self._tick)
        self.timer.start()

    def _tick(self):
        while True:
            with self._lock:
                self._evict(10)

    def _evict(self, age):
        for block in self.blocks.values():
            block.tick(age)

    def shrink(self):
        with self._lock:
            self._evict(100)

    def put(self, key, block):
        with self._lock:
            self.blocks[key] = block
