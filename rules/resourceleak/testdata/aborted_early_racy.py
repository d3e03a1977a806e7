"""A hook takes a slot for the metadata of a request.

Wrong: a request that has been aborted in the meantime keeps its slot.
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
        if rid in self.aborted:  # want "what self.slots.alloc.. takes is not given back when this holds"
            self.aborted.discard(rid)
            return True
        self.link.flush(slot)
        self.slots.free(slot)
        return True

    def abort(self, rid):
        self.aborted.add(rid)
