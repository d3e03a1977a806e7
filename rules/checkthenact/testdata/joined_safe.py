"""stop() waits for the thread before it empties the table."""

import threading


class Table:
    def __init__(self):
        self.rows = {}
        self.halt = threading.Event()
        self.thread = threading.Thread(target=self._scan)
        self.thread.start()

    def _scan(self):
        while not self.halt.wait(1.0):
            for key in list(self.rows):
                self.rows[key].refresh()

    def add(self, key, row):
        self.rows[key] = row

    def stop(self):
        self.halt.set()
        self.thread.join()
        self.rows.clear()
