"""Blocks stay until the peer has notified that it has read them; get_finished tells which have
been.

Racy: a peer that never notifies keeps its blocks for ever, since get_finished knows no expiry.
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

    def get_finished(self):  # want "get_finished"
        with self.lock:
            returned, self.returned = self.returned, set()
        return returned
