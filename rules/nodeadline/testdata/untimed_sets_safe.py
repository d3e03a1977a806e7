"""Blocks stay until the peer has notified that it has read them, or for ten minutes.

Right: the time at which each is given back is kept beside it, and get_finished looks at it.
"""

import threading
import time


class Lender:
    def __init__(self, agent):
        self.agent = agent
        self.lock = threading.Lock()
        self.lent = {}
        self.due = {}
        self.returned = set()
        threading.Thread(target=self._notified, daemon=True).start()

    def lend(self, requests):
        for req_id, blocks in requests.items():
            with self.lock:
                self.due[req_id] = time.monotonic() + 600
                self.lent[req_id] = blocks

    def _notified(self):
        while True:
            self._back(self.agent.wait())

    def _back(self, name):
        with self.lock:
            if self.due.pop(name, None) is None:
                return
            self.returned.add(name)
            self.lent.pop(name, None)

    def get_finished(self):
        with self.lock:
            for name, due in list(self.due.items()):
                if time.monotonic() > due and self.due.pop(name, None) is not None:
                    self.lent.pop(name, None)
                    self.returned.add(name)
            returned = self.returned.copy()
            self.returned.clear()
        return returned
