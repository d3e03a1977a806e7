"""Blocks stay until the peer has notified that it has read them; nobody notes since when.

Racy: a peer that never notifies keeps its blocks for ever. What is lent has a lock of its own,
inside of which others take that of what has come back: get_finished cannot take it inside.
"""

import threading


class Lender:
    def __init__(self, agent):
        self.agent = agent
        self.lock = threading.Lock()
        self.told = threading.Lock()
        self.lent = {}
        self.returned = set()
        threading.Thread(target=self._notified, daemon=True).start()

    def lend(self, req_id, blocks):
        with self.lock:
            self.lent[req_id] = blocks

    def _notified(self):
        while True:
            self._back(self.agent.wait())

    def _back(self, name):
        with self.lock:
            if self.lent.pop(name, None) is None:
                return
            with self.told:
                self.returned.add(name)

    def get_finished(self):  # want "get_finished"
        with self.told:
            returned = self.returned.copy()
            self.returned.clear()
        return returned
