"""A request is over once get_finished has returned its id; the copy's done callback puts it there.

Racy: the engine tracks the id only in the step after start_load. A copy that ends before that
leaves `loading` and is not put into `finished`, since its id is not tracked yet.
"""

import threading
from concurrent.futures import ThreadPoolExecutor


class OffloadConnector:
    def __init__(self, tier):
        self.tier = tier
        self.lock = threading.Lock()
        self.loading = {}
        self.tracked = set()
        self.finished = set()
        self.executor = ThreadPoolExecutor(max_workers=1)

    def start_load(self, req_id, blocks):
        with self.lock:
            self.loading[req_id] = len(blocks)
        future = self.executor.submit(self.tier.fetch, blocks, timeout=10)
        future.add_done_callback(lambda _: self._on_fetched(req_id))

    def track(self, req_id):
        with self.lock:
            self.tracked.add(req_id)

    def _on_fetched(self, req_id):
        with self.lock:
            self.loading.pop(req_id, None)  # want "loading"
            if req_id in self.tracked:
                self.tracked.discard(req_id)
                self.finished.add(req_id)

    def get_finished(self):
        with self.lock:
            done, self.finished = self.finished, set()
        return done
