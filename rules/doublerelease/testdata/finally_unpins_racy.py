"""Blocks are pinned while they are copied.

Wrong: a copy without a target unpins the blocks before it returns, and finally does so again.
"""

import threading


class Copies:
    def __init__(self, cache):
        self.cache = cache
        self.targets = {}
        self.lock = threading.Lock()

    def copy(self, rid, blocks):
        self.cache.pin_blocks(blocks)
        try:
            with self.lock:
                target = self.targets.get(rid)
            if target is None:
                self.cache.unpin_blocks(blocks)
                return
            target.write(blocks)
        finally:
            self.cache.unpin_blocks(blocks)  # want "gives back what line 21"
