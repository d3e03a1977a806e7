"""A request is over once get_finished has returned its id; the copy's done callback puts it there.

Right: start_load tracks the id before the copy can begin.
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
            self.tracked.add(req_id)
        future = self.executor.submit(self.tier.fetch, blocks, timeout=10)
        future.add_done_callback(lambda _: self._on_fetched(req_id))

    def _on_fetched(self, req_id):
        with self.lock:
            self.loading.pop(req_id, None)
            if req_id in self.tracked:
                self.tracked.discard(req_id)
                self.finished.add(req_id)

    def get_finished(self):
        with self.lock:
            done, self.finished = self.finished, set()
        return done
