"""A request is taken out and put back before it is taken out again.

Right: the second removal finds what was put back, or has asked for it.
"""


class Shelf:
    def __init__(self):
        self.items = {}

    def refresh(self, rid):
        item = self.items.pop(rid)
        self.items[rid] = item.fresh()
        item = self.items.pop(rid)
        return item

    def drop(self, rid):
        self.items.pop(rid, None)
        if rid in self.items:
            del self.items[rid]

    def sweep(self, gone, dead):
        for rid in gone:
            self.items.pop(rid, None)
        for rid in dead:
            self.items.pop(rid)
