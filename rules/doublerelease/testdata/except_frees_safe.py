"""A sender stages pages in a slot.

Right: the slot is freed in one place, on every way out.
"""


class Stage:
    def __init__(self, pool, link):
        self.pool = pool
        self.link = link
        self.sent = {}

    def send(self, rid, pages):
        slot = self.pool.alloc(len(pages))
        if slot is None:
            return False
        try:
            self.link.write(slot, pages)
            self.link.report(rid)
        finally:
            self.pool.free(slot)
        self.sent[rid] = len(pages)
        return True
