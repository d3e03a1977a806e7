"""get_failed counts the failed ids and clears them.

Racy: a callback adds one between the copy and the clearing. To put them one by one
where they go would make something else of them.
"""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor


class Loader:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.failed = set()

    def start(self, rid, host):
        future = self.pool.submit(host.shake)

        def ready(f, rid=rid):
            if f.exception() is not None:
                self.failed.add(rid)  # want "what is added to failed here can be lost: Loader.get_failed copies"

        future.add_done_callback(ready)

    def get_failed(self, seen):
        failed = Counter(seen)
        failed.update(self.failed)
        self.failed.clear()
        return failed
