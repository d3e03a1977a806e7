"""A Counter of retries, by request, that a retry thread adds to.

Right: only a request that is still in the table is counted.
"""

import queue
import threading
import time
from collections import Counter


class Retrier(threading.Thread):
    def __init__(self, wire):
        super().__init__(daemon=True)
        self.wire = wire
        self.lock = threading.Lock()
        self.again = queue.Queue()
        self.retries = Counter()
        self.results = {}

    def submit(self, req):
        with self.lock:
            self.results[req] = "trying"
            self.retries[req] = 0
        self.again.put(req)

    def run(self):
        while True:
            req = self.again.get()
            if self._attempt(req):
                continue
            time.sleep(0.5)
            with self.lock:
                if req not in self.results:
                    continue
                self.retries[req] += 1
                given_up = self.retries[req] > 3
                if given_up and self.results.get(req) == "trying":
                    self.results[req] = "failed"
            if not given_up:
                self.again.put(req)

    def _attempt(self, req):
        try:
            self.wire.send(req, timeout=2)
        except Exception:
            return False
        with self.lock:
            if self.results.get(req) == "trying":
                self.results[req] = "sent"
        return True

    def result(self, req):
        with self.lock:
            return self.results.get(req, "failed")

    def drop(self, req):
        with self.lock:
            self.retries.pop(req, None)
            self.results.pop(req, None)
