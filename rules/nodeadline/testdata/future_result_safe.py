"""A prefetch runs in a pool; the scheduler takes its result.

Right: a prefetch that is not done after its time counts as a miss.
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
            return future.result(timeout=2)
        except Exception:
            return None
