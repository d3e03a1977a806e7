"""A sender stages pages in a slot.

Wrong: when report() raises, the slot is free already, and the handler frees it once more.
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
            self.pool.free(slot)
            self.link.report(rid)
        except OSError:
            self.pool.free(slot)  # want "gives back what line 19 has given back"
            raise
        self.sent[rid] = len(pages)
        return True
