"""A block is held in each part of a cache while it is read.

Right: one loop takes the holds and another one gives them back.
"""


class Blocks:
    def __init__(self, parts):
        self.parts = parts
        self.readers = {}
        self.held = set()

    def hold_all(self, block):
        for part in self.parts:
            part.acquire_hold(block)
        self.held.add(block)

    def drop_all(self, block):
        for part in self.parts:
            part.release_hold(block)
        self.held.discard(block)

    def read(self, rid, block):
        self.hold_all(block)
        try:
            self.readers[rid] = block
            data = block.bytes()
        finally:
            self.readers.pop(rid, None)
            self.drop_all(block)
        return data
