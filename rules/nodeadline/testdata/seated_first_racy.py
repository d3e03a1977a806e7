"""A table gets its status with the first order; before that, guests are only seated.

Racy: guests whose orders never reach the kitchen wait for ever.
"""

import threading

ORDERED = "ordered"
DONE = "done"
FAILED = "failed"


class Room:
    def __init__(self, pager):
        self.pager = pager
        self.lock = threading.Lock()
        self.seats = {}
        self.status = {}
        threading.Thread(target=self._hear, daemon=True).start()

    def seat(self, table, guests):
        with self.lock:
            self.seats[table] = guests

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

    def look(self, table):  # want "Room.look never looks at the clock"
        with self.lock:
            return self.status.get(table, ORDERED)

    def leave(self, table):
        with self.lock:
            self.seats.pop(table, None)
            self.status.pop(table, None)


def serve(room, table):
    while True:
        state = room.look(table)
        if state == DONE:
            return True
        if state == FAILED:
            return False
