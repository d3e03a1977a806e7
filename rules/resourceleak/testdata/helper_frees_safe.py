"""All ways out end in one helper.

Right: the helper frees the slot, with a guard on what it is given.
"""


class Helper:
    def __init__(self, slots, link):
        self.slots = slots
        self.link = link
        self.aborted = set()

    def _give_back(self, slot, rid):
        self.aborted.discard(rid)
        if slot is not None:
            self.slots.free(slot)

    def send(self, rid, data):
        slot = self.slots.alloc()
        if rid in self.aborted:
            self._give_back(slot, rid)
            return False
        self.link.write(slot, data)
        self._give_back(slot, rid)
        return True
