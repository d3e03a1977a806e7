"""A defaultdict of statuses that says "queued" for what it does not know.

Racy: an error message removes the request, and the next look-up, by the poller itself, makes a
queued one of it.
"""

import threading
import time
from collections import defaultdict


class Exchange:
    def __init__(self, mail):
        self.mail = mail
        self.lock = threading.Lock()
        self.status = defaultdict(lambda: "queued")
        self.expiry = {}
        threading.Thread(target=lambda: self._sort(), daemon=True).start()

    def enqueue(self, req_id):
        with self.lock:
            self.status[req_id] = "queued"
            self.expiry[req_id] = time.monotonic() + 30

    def _sort(self):
        while True:
            letter = self.mail.get()
            with self.lock:
                if self.status.get(letter.req_id) != "queued":
                    continue
                if letter.error:
                    self.status.pop(letter.req_id, None)
                    self.expiry.pop(letter.req_id, None)
                else:
                    self.status[letter.req_id] = "sent"

    def poll(self, req_id):
        with self.lock:
            status = self.status[req_id]  # want "status"
            end = self.expiry.get(req_id)
            if status == "queued" and end is not None and time.monotonic() > end:
                self.status[req_id] = status = "failed"
            return status

    def clear(self, req_id):
        with self.lock:
            self.status.pop(req_id, None)
            self.expiry.pop(req_id, None)
