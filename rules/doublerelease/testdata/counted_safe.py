"""A block is pinned twice, once for the lookup and once for the copy.

Right: it is unpinned as often.
"""


class Reader:
    def __init__(self, cache):
        self.cache = cache
        self.seen = {}

    def read(self, rid, block):
        self.cache.pin(block)
        self.seen[rid] = block
        self.cache.pin(block)
        self.cache.copy(block)
        self.cache.unpin(block)
        self.cache.unpin(block)
