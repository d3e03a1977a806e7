"""The allocator may have nothing to give.

Right: on the way out that gives nothing back, nothing was taken.
"""


class Tries:
    def __init__(self, slots, link):
        self.slots = slots
        self.link = link
        self.tries = {}

    def small(self, rid):
        slot = self.slots.alloc(1)
        if slot is None:
            self.tries[rid] = self.tries.get(rid, 0) + 1
            return False
        self.link.write(slot, rid)
        self.slots.free(slot)
        return True

    def large(self, rid):
        pages = self.slots.alloc_pages(16)
        if len(pages) < 16:
            self.tries[rid] = 0
            return False
        self.link.write(pages, rid)
        self.slots.free_pages(pages)
        return True

    def numbered(self, rid):
        slot = self.slots.alloc()
        if slot < 0:
            return False
        self.link.write(slot, rid)
        self.slots.free(slot)
        return True
