"""A summary for the log reads statuses with "pending" as the default.

Right: nobody waits for what the summary says; the poller reads a missing status as "failed".
"""

import logging
import threading
import time

log = logging.getLogger(__name__)


class Tally:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.status = {}
        self.ends = {}
        threading.Thread(target=self._take, daemon=True).start()

    def add(self, rid):
        with self.lock:
            self.status[rid] = "pending"
            self.ends[rid] = time.monotonic() + 30

    def _take(self):
        while True:
            rid = self.inbox.get()
            with self.lock:
                if self.status.get(rid) == "pending":
                    self.status[rid] = "done"

    def log_some(self, rids):
        with self.lock:
            words = [self.status.get(rid, "pending") for rid in rids]
        log.info("statuses: %s", ", ".join(words))

    def poll(self, rid):
        with self.lock:
            if self.status.get(rid) == "pending" and time.monotonic() > self.ends.get(rid, 0.0):
                self.status[rid] = "failed"
            return self.status.get(rid, "failed")

    def abort(self, rid):
        self.forget(rid)

    def forget(self, rid):
        with self.lock:
            self.status.pop(rid, None)
            self.ends.pop(rid, None)
