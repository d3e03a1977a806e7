"""Several workers share a cache of conversion tables under a lock, and use what they found after it."""

import threading
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor


class Converter:
    def __init__(self, rate, room=4):
        self.rate = rate
        self.room = room
        self.tables = OrderedDict()
        self.lock = threading.Lock()
        self.workers = ThreadPoolExecutor(max_workers=8)

    def submit(self, sound):
        return self.workers.submit(self._convert, sound)

    def _convert(self, sound):
        samples = sound.samples()
        if sound.rate != self.rate:
            rate = sound.rate
            with self.lock:
                if rate in self.tables:
                    self.tables.move_to_end(rate)
                else:
                    if len(self.tables) >= self.room:
                        self.tables.popitem(last=False)
                    self.tables[rate] = sound.table_to(self.rate)
                table = self.tables[rate]
            samples = table(samples)
        return samples
