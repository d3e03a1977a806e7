"""Blocks stay until the peer has notified that it has read them, or for two minutes.

Right: get_finished reports what has expired, too.
"""

import threading
import time


class Lender:
    def __init__(self, agent):
        self.agent = agent
        self.lock = threading.Lock()
        self.lent = {}
        self.returned = set()
        threading.Thread(target=self._notified, daemon=True).start()

    def lend(self, req_id):
        with self.lock:
            self.lent[req_id] = time.monotonic()

    def _notified(self):
        while True:
            req_id = self.agent.wait()
            with self.lock:
                if self.lent.pop(req_id, None) is not None:
                    self.returned.add(req_id)

    def get_finished(self):
        with self.lock:
            now = time.monotonic()
            for req_id, since in list(self.lent.items()):
                if now - since > 120:
                    del self.lent[req_id]
                    self.returned.add(req_id)
            returned, self.returned = self.returned, set()
        return returned
