"""A loop over a display of containers is one turn for each of them."""


class Queues:
    def __init__(self):
        self.fresh = {}
        self.parked = {}
        self.done = set()

    def drop(self, rid):
        for queue in (self.fresh, self.parked):
            if rid not in queue:
                continue
            del queue[rid]
            break
        else:
            self.done.add(rid)

    def names(self):
        return [rid for queue in (self.fresh, self.parked) for rid in queue]
