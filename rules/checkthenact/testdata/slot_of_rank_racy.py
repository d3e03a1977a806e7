"""Ranks register their links, each by a message that a thread of a pool handles.

Racy: a rank that registers again, since no answer came, is handled twice at once.
"""

from concurrent.futures import ThreadPoolExecutor


class Links:
    def __init__(self, world):
        self.world = world
        self.links = {}
        self.pool = ThreadPoolExecutor(max_workers=4)

    def receive(self, message):
        self.pool.submit(self._register, message)

    def _register(self, message):
        rank = message.rank
        if rank < 0 or rank >= self.world:
            raise ValueError(f"no rank {rank}")
        if rank in self.links:
            old = self.links.pop(rank)  # want "links.rank. is .*, then removed"
            old.close()
        self.links[rank] = message.connect()
