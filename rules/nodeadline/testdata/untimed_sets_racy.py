"""Blocks stay until the peer has notified that it has read them; nobody notes since when.

Racy: a peer that never notifies keeps its blocks for ever. There is no time to compare with.
"""

import threading


class Lender:
    def __init__(self, agent):
        self.agent = agent
        self.lock = threading.Lock()
        self.lent = {}
        self.returned = set()
        threading.Thread(target=self._notified, daemon=True).start()

    def lend(self, requests):
        for req_id, blocks in requests.items():
            with self.lock:
                self.lent[req_id] = blocks

    def _notified(self):
        while True:
            self._back(self.agent.wait())

    def _back(self, name):
        with self.lock:
            if name not in self.lent:
                return
            self.returned.add(name)
            self.lent.pop(name, None)

    def get_finished(self):  # want "get_finished"
        with self.lock:
            returned = self.returned.copy()
            self.returned.clear()
        return returned
