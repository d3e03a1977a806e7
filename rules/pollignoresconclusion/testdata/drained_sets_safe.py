"""A connector that tells of ended requests by the sets it returns from get_finished.

Right: get_finished drains `broken` too.
"""

import queue
import threading


class Connector:
    def __init__(self, fabric):
        self.fabric = fabric
        self.lock = threading.Lock()
        self.work = queue.Queue()
        self.sent = set()
        self.received = set()
        self.broken = set()
        threading.Thread(target=self._receive, daemon=True).start()

    def load(self, req_id, blocks):
        self.work.put((req_id, blocks))

    def _receive(self):
        while True:
            item = self.work.get()
            try:
                self.fabric.read(item[1], timeout=10)
            except Exception:
                with self.lock:
                    self.broken.add(item[0])
            else:
                with self.lock:
                    self.received.add(item[0])

    def save(self, req_id, blocks):
        try:
            self.fabric.write(blocks)
        finally:
            with self.lock:
                self.sent.add(req_id)

    def get_finished(self):
        with self.lock:
            sent, self.sent = self.sent, set()
            received, self.received = self.received, set()
            broken, self.broken = self.broken, set()
        return sent, received | broken
