"""A slot that is kept for later is given back by whoever has it then.

Right: on the way out that does not free the slot, the map keeps it and end() frees it.
"""


class Keeps:
    def __init__(self, slots, link):
        self.slots = slots
        self.link = link
        self.kept = {}

    def begin(self, rid, data):
        slot = self.slots.alloc()
        if slot is None:
            return None
        if not self.link.write(slot, data):
            self.slots.free(slot)
            return None
        self.kept[rid] = slot
        return slot

    def lend(self, rid, data, others):
        slot = self.slots.alloc()
        if rid in self.kept:
            self.slots.free(slot)
            return
        others.take(slot)

    def mark(self, request):
        slot = self.slots.alloc()
        if request.rid in self.kept:
            self.slots.free(slot)
            return
        request.slot = slot

    def end(self, rid):
        slot = self.kept.pop(rid, None)
        if slot is not None:
            self.slots.free(slot)
