"""A keeper takes keys from a copy of the table and looks them up again.

Racy: the copy is as old as its making; remove() can take a row out before its turn.
"""

import threading


class Table:
    def __init__(self):
        self.rows = {}
        self.halt = threading.Event()
        threading.Thread(target=self._scan, daemon=True).start()

    def _scan(self):
        while not self.halt.wait(1.0):
            for key in list(self.rows):
                if self.rows[key].stale():  # want "rows.* is taken from a copy, then read"
                    self.rows.pop(key, None)

    def add(self, key, row):
        self.rows[key] = row

    def remove(self, key):
        self.rows.pop(key, None)
