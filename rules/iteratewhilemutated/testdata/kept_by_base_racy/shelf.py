"""The parts of each request, kept by somebody else.

Racy: a request is freed part by part, out of the set that the loop walks over.
"""


class Shelf:
    def __init__(self):
        self.parts = {}

    def put(self, rid, part):
        self.parts.setdefault(rid, set()).add(part)

    def drop(self, rid, part):
        self.parts[rid].discard(part)
        if not self.parts[rid]:
            del self.parts[rid]

    def free(self, rid):
        for part in self.parts.get(rid, set()):  # want "the loop over self.parts.get.* changes it"
            self.drop(rid, part)
