"""A prefetch runs in a pool; the scheduler takes its result.

Racy: result() has no timeout, so a storage that hangs stops the scheduler.
"""

import threading
from concurrent.futures import ThreadPoolExecutor


class Prefetcher:
    def __init__(self, storage):
        self.storage = storage
        self.lock = threading.Lock()
        self.futures = {}
        self.pool = ThreadPoolExecutor(max_workers=8)

    def start(self, req_id, keys):
        with self.lock:
            self.futures[req_id] = self.pool.submit(self.storage.read, keys)

    def take(self, req_id):
        with self.lock:
            future = self.futures.pop(req_id, None)
        if future is None:
            return None
        try:
            return future.result()  # want "take|result"
        except Exception:
            return None
