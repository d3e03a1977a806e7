"""Blocks are pinned while they are copied to the reader.

Right: a block is pinned only for a reader that is there.
"""


class Copies:
    def __init__(self, cache):
        self.cache = cache
        self.readers = {}

    def copy(self, rids, block):
        for rid in rids:
            match self.readers.get(rid):
                case None:
                    continue
                case reader:
                    self.cache.pin(rid)
                    reader.write(block)
                    self.cache.unpin(rid)
