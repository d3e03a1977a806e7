"""Blocks are pinned while they are copied to the reader.

Wrong: a block whose reader is gone stays pinned.
"""


class Copies:
    def __init__(self, cache):
        self.cache = cache
        self.readers = {}

    def copy(self, rids, block):
        for rid in rids:
            self.cache.pin(rid)
            match self.readers.get(rid):
                case None:  # want "what self.cache.pin.rid. takes is not given back when this holds"
                    continue
                case reader:
                    reader.write(block)
            self.cache.unpin(rid)
