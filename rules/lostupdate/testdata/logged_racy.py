"""Pool threads count what they have moved.

Racy: every hundredth time something is logged, and the rate rests on the count, too.
"""

import logging
from concurrent.futures import ThreadPoolExecutor

logger = logging.getLogger(__name__)


class Porter:
    def __init__(self, link):
        self.link = link
        self.moves = 0
        self.pool = ThreadPoolExecutor()

    def carry(self, load):
        self.pool.submit(self._carry, load)

    def _carry(self, load):
        self.moves += 1  # want "moves is read, changed and written back"
        if self.moves % 100 == 0:
            logger.info(f"{self.moves} moves")
        rate = 4 if self.moves > 1000 else 8
        self.link.write(load, rate)
