"""Expiry times come with the metadata of each engine step and are merged in with update().

Racy: the peer may have read the request before; its notification has removed what update() now
puts back.
"""

import threading
import time


class Worker:
    def __init__(self, agent):
        self.agent = agent
        self.lock = threading.Lock()
        self.batch = set()
        self.expiry = {}
        self.released = set()
        threading.Thread(target=self._notifications, daemon=True).start()

    def add_to_batch(self, req_ids):
        with self.lock:
            self.batch.update(req_ids)

    def start_step(self, times):
        with self.lock:
            self.expiry.update(times)  # want "expiry"

    def _notifications(self):
        while True:
            req_id = self.agent.wait()
            with self.lock:
                if req_id not in self.batch:
                    continue
                self.batch.discard(req_id)
                self.expiry.pop(req_id, None)
                self.released.add(req_id)

    def get_finished(self):
        now = time.monotonic()
        with self.lock:
            for req_id, end in list(self.expiry.items()):
                if now > end:
                    del self.expiry[req_id]
                    self.batch.discard(req_id)
                    self.released.add(req_id)
            done, self.released = self.released, set()
        return done
