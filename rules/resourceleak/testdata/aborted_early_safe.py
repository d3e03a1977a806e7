"""A hook takes a slot for the metadata of a request.

Right: the slot goes back on this way out, too.
"""


class Admission:
    def __init__(self, slots, link):
        self.slots = slots
        self.link = link
        self.aborted = set()

    def send_metadata(self, rid, data):
        slot = self.slots.alloc()
        if slot is None:
            return False
        self.link.write(slot, data)
        if rid in self.aborted:
            self.slots.free(slot)
            self.aborted.discard(rid)
            return True
        self.link.flush(slot)
        self.slots.free(slot)
        return True

    def abort(self, rid):
        self.aborted.add(rid)
