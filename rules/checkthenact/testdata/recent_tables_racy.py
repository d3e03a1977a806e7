"""Several workers share a cache of conversion tables, of which the least recent goes first.

Racy: with more rates than there is room for, one worker throws out the table that another one
has just found.
"""

from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor


class Converter:
    def __init__(self, rate, room=4):
        self.rate = rate
        self.room = room
        self.tables = OrderedDict()
        self.workers = ThreadPoolExecutor(max_workers=8)

    def submit(self, sound):
        return self.workers.submit(self._convert, sound)

    def _convert(self, sound):
        samples = sound.samples()
        if sound.rate != self.rate:
            rate = sound.rate
            if rate in self.tables:
                self.tables.move_to_end(rate)  # want "tables"
            else:
                if len(self.tables) >= self.room:
                    self.tables.popitem(last=False)
                self.tables[rate] = sound.table_to(self.rate)
            samples = self.tables[rate](samples)
        return samples
