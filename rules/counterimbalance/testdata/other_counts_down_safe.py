"""The callback of a transfer counts it down, or the hook does when none begins.

Right: every transfer that begins has a callback.
"""

import threading


class Uses:
    def __init__(self, link):
        self.link = link
        self.uses = {}
        self.lock = threading.Lock()

    def begin(self, rid, executor):
        with self.lock:
            self.uses[rid] = self.uses.get(rid, 0) + 1
        try:
            future = executor.submit(self.link.copy, rid)
        except RuntimeError:
            with self.lock:
                self.uses[rid] -= 1
            raise
        future.add_done_callback(lambda f: self._ended(rid))

    def _ended(self, rid):
        with self.lock:
            self.uses[rid] -= 1
