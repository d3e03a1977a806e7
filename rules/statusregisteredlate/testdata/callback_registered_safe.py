"""fetch() keeps the mark of a request, then its future; a revocation ends what has a mark.

Right: there is no future without a mark.
"""

import threading


class Fetcher:
    def __init__(self, remote, revocations):
        self.remote = remote
        self.revocations = revocations
        self.cond = threading.Condition()
        self.futures = {}
        self.marks = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def fetch(self, req_id):
        with self.cond:
            self.marks[req_id] = "fetching"
        future = self.remote.request(req_id, self._arrived)
        timer = threading.Timer(60, self._late, [req_id])
        timer.daemon = True
        timer.start()
        with self.cond:
            if req_id in self.marks:
                self.futures[req_id] = future

    def _late(self, req_id):
        with self.cond:
            if self.marks.get(req_id) == "fetching":
                self.marks[req_id] = "revoked"
                self.futures.pop(req_id, None)

    def _arrived(self, req_id):
        with self.cond:
            if self.marks.get(req_id) == "fetching":
                self.marks[req_id] = "fetched"

    def _listen(self):
        while True:
            req_id = self.revocations.get()
            with self.cond:
                try:
                    mark = self.marks[req_id]
                except KeyError:
                    continue
                if mark == "fetching":
                    self.marks[req_id] = "revoked"
                    self.futures.pop(req_id, None)

    def mark(self, req_id):
        with self.cond:
            return self.marks.get(req_id, "revoked")

    def drop(self, req_id):
        with self.cond:
            self.futures.pop(req_id, None)
            self.marks.pop(req_id, None)
