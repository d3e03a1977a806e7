"""Pages are copied into the slots of a shelf by the threads of a pool, and out of them.

Racy: a request that ends gives its slots back, while its last order may be under way.
"""

from concurrent.futures import ThreadPoolExecutor


class Shelf:
    def __init__(self, size):
        self.size = size
        self.slots = {}

    def put(self, slot, page):
        if slot < 0 or slot >= self.size:
            raise ValueError(f"no slot {slot}")
        if slot in self.slots:
            old = self.slots.pop(slot)  # want "slots.slot. is .*, then removed"
            old.close()
        self.slots[slot] = page

    def free(self, slot):
        self.slots.pop(slot, None)

    def look(self, slot):
        if slot in self.slots:
            return self.slots[slot]  # want "slots.slot. is tested, then read"
        return None


class Mover:
    def __init__(self, size):
        self.shelf = Shelf(size)
        self.pool = ThreadPoolExecutor(max_workers=4)

    def save(self, orders):
        for order in orders:
            self.pool.submit(self._store, order.slots, order.copy())

    def load(self, orders):
        for order in orders:
            self.pool.submit(self._fetch, order, order.slots)

    def end(self, slots):
        for slot in slots:
            self.shelf.free(slot)

    def _store(self, slots, pages):
        for i in range(len(pages)):
            self.shelf.put(slots[i], pages[i])

    def _fetch(self, order, slots):
        for slot in slots:
            order.write(slot, self.shelf.look(slot))
