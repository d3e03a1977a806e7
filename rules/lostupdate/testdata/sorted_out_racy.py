"""get_failed sorts the failed ids and clears them.

Racy: a callback adds one between the copy and the clearing. To take them out one by one
would make something else of them.
"""

from concurrent.futures import ThreadPoolExecutor


class Loader:
    def __init__(self):
        self.pool = ThreadPoolExecutor(max_workers=1)
        self.failed = []

    def start(self, rid, host):
        future = self.pool.submit(host.shake)

        def ready(f, rid=rid):
            if f.exception() is not None:
                self.failed.append(rid)  # want "what is added to failed here can be lost: Loader.get_failed copies"

        future.add_done_callback(ready)

    def get_failed(self):
        failed = sorted(self.failed)
        self.failed.clear()
        return failed
