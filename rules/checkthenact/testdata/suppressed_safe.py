"""A worker drops rows that a hook may have dropped already.

Right: what a missing row raises is suppressed.
"""

import contextlib
import queue
import threading
from contextlib import suppress as quiet


class Depot:
    def __init__(self):
        self.jobs = queue.SimpleQueue()
        self.rows = {}
        self.notes = {}
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            key = self.jobs.get()
            with contextlib.suppress(KeyError):
                if key in self.rows:
                    self.rows.pop(key)
            with quiet(LookupError):
                if key in self.notes:
                    del self.notes[key]

    def add(self, key, row, note):
        self.rows[key] = row
        self.notes[key] = note
        self.jobs.put(key)

    def drop(self, key):
        self.rows.pop(key, None)
        self.notes.pop(key, None)
