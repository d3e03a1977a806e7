"""An abort goes through the manager, which notes the key in a set of dropped ones.

Right: look() answers "error" for a dropped key.
"""

import queue
import threading
import time


class Board:
    def __init__(self, engine):
        self.engine = engine
        self.mutex = threading.Lock()
        self.jobs = queue.Queue()
        self.table = {}
        self.begun = {}
        self.dropped = set()
        threading.Thread(target=self._work, daemon=True).start()

    def post(self, rank, rid):
        key = (rank, rid)
        with self.mutex:
            self.begun[key] = time.monotonic()
            self.table[key] = "waiting"
        self.jobs.put(key)

    def drop(self, key):
        with self.mutex:
            if key in self.table:
                self.dropped.add(key)

    def _work(self):
        while True:
            key = self.jobs.get()
            with self.mutex:
                if key in self.dropped or key not in self.table:
                    continue
            try:
                self.engine.push(key)
                answer = "ok"
            except Exception:
                answer = "error"
            with self.mutex:
                if key not in self.dropped and self.table.get(key) == "waiting":
                    self.table[key] = answer

    def look(self, rank, rid):
        key = (rank, rid)
        with self.mutex:
            if key in self.dropped or (answer := self.table.get(key)) is None:
                return "error"
            if answer == "waiting" and time.monotonic() - self.begun.get(key, 0.0) > 90:
                self.table[key] = answer = "error"
            return answer

    def cancel(self, rank, rid):
        self.drop((rank, rid))

    def wipe(self, rank, rid):
        with self.mutex:
            self.begun.pop((rank, rid), None)
            self.table.pop((rank, rid), None)
            self.dropped.discard((rank, rid))
