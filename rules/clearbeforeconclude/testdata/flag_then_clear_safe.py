"""abort() clears at once, on the thread that polls, and the read below the flag is strict.

Right: the flag was set before, and poll() tests it first. Nobody else removes the entry of a
handle in use.
"""

import threading
import time

PENDING, DONE, FAILED = "pending", "done", "failed"


class Desk:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.table = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            rid = self.inbox.get()
            with self.lock:
                if self.table.get(rid) == PENDING:
                    self.table[rid] = DONE


class Ticket:
    def __init__(self, desk: Desk, rid):
        self.desk = desk
        self.rid = rid
        self.closed = None
        self.end = time.monotonic() + 30
        with desk.lock:
            desk.table[rid] = PENDING

    def poll(self):
        if self.closed is not None:
            return self.closed
        if time.monotonic() > self.end:
            return self._close(FAILED)
        with self.desk.lock:
            state = self.desk.table[self.rid]
        return state if state == PENDING else self._close(state)

    def _close(self, state):
        if self.closed is None:
            self.closed = state
        with self.desk.lock:
            self.desk.table.pop(self.rid, None)
        return self.closed

    def abort(self):
        self._close(FAILED)
