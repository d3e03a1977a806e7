"""The keeper copies the pairs: no second lookup."""

import threading


class Table:
    def __init__(self):
        self.rows = {}
        self.halt = threading.Event()
        threading.Thread(target=self._scan, daemon=True).start()

    def _scan(self):
        while not self.halt.wait(1.0):
            for key, row in list(self.rows.items()):
                if row.stale():
                    self.rows.pop(key, None)

    def add(self, key, row):
        self.rows[key] = row

    def remove(self, key):
        self.rows.pop(key, None)
