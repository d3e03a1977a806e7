"""Pages are copied into the slots of a shelf by the threads of a pool, and back by the
hook of a step.

Right: whoever hands out the numbers of slots gives each to one order at a time, and a
page that is put where another one was takes its place. Nothing is ever taken away.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass


@dataclass
class Batch:
    slots: list[int]
    pages: list[bytes]


class Shelf:
    def __init__(self, size):
        self.size = size
        self.slots = {}

    def put(self, slot, page):
        if slot < 0 or slot >= self.size:
            raise ValueError(f"no slot {slot}")
        if slot in self.slots:
            old = self.slots.pop(slot)
            old.close()
        self.slots[slot] = page

    def look(self, slot):
        if slot in self.slots:
            return self.slots[slot]
        return None


class Mover:
    def __init__(self, size):
        self.shelf = Shelf(size)
        self.pool = ThreadPoolExecutor(max_workers=4)

    def save(self, orders):
        for order in orders:
            self.pool.submit(self._store, order.slots, order.copy())

    def save_one(self, slots, pages):
        self.pool.submit(self._store_all, [Batch(slots, pages)])

    def load(self, orders):
        for order in orders:
            for slot in order.slots:
                order.write(slot, self.shelf.look(slot))

    def _store(self, slots, pages):
        for i in range(len(pages)):
            self.shelf.put(slots[i], pages[i])

    def _store_all(self, batches):
        for batch in batches:
            for i in range(len(batch.pages)):
                self.shelf.put(batch.slots[i], batch.pages[i])
