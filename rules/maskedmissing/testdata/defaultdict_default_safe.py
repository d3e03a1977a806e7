"""A plain dict of statuses.

Right: an error message removes the request, and the poller reads a missing one as "failed".
"""

import threading
import time


class Exchange:
    def __init__(self, mail):
        self.mail = mail
        self.lock = threading.Lock()
        self.status = {}
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
            status = self.status.get(req_id, "failed")
            end = self.expiry.get(req_id)
            if status == "queued" and end is not None and time.monotonic() > end:
                self.status[req_id] = status = "failed"
            return status

    def clear(self, req_id):
        with self.lock:
            self.status.pop(req_id, None)
            self.expiry.pop(req_id, None)
