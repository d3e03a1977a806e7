"""A table gets its status with the first order; before that, guests are only seated.

Right: whoever looks at a table gives up when its guests have been seated for long.
"""

import threading
import time

ORDERED = "ordered"
DONE = "done"
FAILED = "failed"


class Room:
    def __init__(self, pager):
        self.pager = pager
        self.lock = threading.Lock()
        self.seats = {}
        self.since = {}
        self.status = {}
        threading.Thread(target=self._hear, daemon=True).start()

    def seat(self, table, guests):
        with self.lock:
            self.seats[table] = guests
            self.since[table] = time.monotonic()

    def _hear(self):
        while True:
            word = self.pager.receive()
            with self.lock:
                if word.table in self.seats and self.status.get(word.table) != FAILED:
                    if word.bad:
                        self.status[word.table] = FAILED
                    elif word.last:
                        self.status[word.table] = DONE
                    else:
                        self.status[word.table] = ORDERED

    def look(self, table):
        with self.lock:
            state = self.status.get(table, ORDERED)
            if state == ORDERED and table in self.since and time.monotonic() - self.since[table] > 60:
                self.status[table] = state = FAILED
            return state

    def leave(self, table):
        with self.lock:
            self.seats.pop(table, None)
            self.since.pop(table, None)
            self.status.pop(table, None)


def serve(room, table):
    while True:
        state = room.look(table)
        if state == DONE:
            return True
        if state == FAILED:
            return False
