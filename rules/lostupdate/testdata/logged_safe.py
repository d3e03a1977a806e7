"""Pool threads count what they have moved.

Right: the counters are statistics, which are logged every hundredth time.
"""

import logging
from concurrent.futures import ThreadPoolExecutor

logger = logging.getLogger(__name__)


class Tally:
    def __init__(self, name=None):
        self.name = name
        self.moves = 0
        self.amount = 0

    def _title(self):
        if self.name is None:
            return "all"
        return f"of {self.name}"

    def add(self, size):
        self.moves += 1
        self.amount += size
        if self.moves % 100 == 0:
            logger.info(f"{self._title()}: {self.moves} moves, {self.amount} bytes")


class Porter:
    def __init__(self, link):
        self.link = link
        self.tally = Tally()
        self.pool = ThreadPoolExecutor()

    def carry(self, load):
        self.pool.submit(self._carry, load)

    def _carry(self, load):
        self.link.write(load)
        self.tally.add(len(load))
