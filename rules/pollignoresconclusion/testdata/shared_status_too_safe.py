"""abort() notes the time in the handle and fails the request in the shared table.

Right: poll() reads the shared table, where FAILED is sticky and stays until clear(). The note
is for the log.
"""

import threading
import time

PENDING, DONE, FAILED = 1, 2, 3


class Desk:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.table = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def settle(self, rid, status):
        with self.lock:
            if self.table.get(rid) == PENDING:
                self.table[rid] = status

    def _listen(self):
        while True:
            self.settle(self.inbox.get(), DONE)


class Ticket:
    def __init__(self, desk: Desk, rid):
        self.desk = desk
        self.rid = rid
        self.aborted_at = None
        self.expires = time.monotonic() + 30
        with desk.lock:
            desk.table[rid] = PENDING

    def poll(self):
        if time.monotonic() > self.expires:
            self.desk.settle(self.rid, FAILED)
        with self.desk.lock:
            return self.desk.table.get(self.rid, FAILED)

    def abort(self):
        self.aborted_at = time.monotonic()
        self.desk.settle(self.rid, FAILED)

    def __repr__(self):
        return "Ticket(%r, aborted_at=%r)" % (self.rid, self.aborted_at)

    def clear(self):
        with self.desk.lock:
            self.desk.table.pop(self.rid, None)
