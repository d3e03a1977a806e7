"""A set of futures from which each strikes itself off when it is done, on the thread of its worker."""

from concurrent.futures import ThreadPoolExecutor


class Bakers:
    def __init__(self, hands):
        self.hands = ThreadPoolExecutor(max_workers=hands)
        self.loaves = set()

    def bake(self, dough):
        loaf = self.hands.submit(dough.bake)
        self.loaves.add(loaf)
        loaf.add_done_callback(self.loaves.discard)

    def look(self):
        for loaf in self.loaves:  # want "self.loaves can change while this loop walks over it: Bakers.bake.discard removes"
            print(loaf)
