"""A heartbeat marks the waiting jobs of a living node as "alive".

Right: a job that has ended keeps its mark.
"""

import threading
import time
from functools import partial


class Watch:
    def __init__(self, nodes, results):
        self.nodes = nodes
        self.results = results
        self.lock = threading.Lock()
        self.marks = {}
        self.born = {}
        threading.Thread(target=partial(self._beat, 1.0), daemon=True).start()
        threading.Thread(target=self._collect, daemon=True).start()

    def add(self, job):
        with self.lock:
            self.marks[job] = "waiting"
            self.born[job] = time.monotonic()

    def _beat(self, pause):
        while True:
            time.sleep(pause)
            if not self.nodes.alive():
                continue
            with self.lock:
                for job in list(self.marks):
                    if self.marks[job] == "waiting":
                        self.marks[job] = "alive"

    def _collect(self):
        while True:
            job = self.results.get()
            with self.lock:
                if self.marks.get(job) in ("waiting", "alive"):
                    self.marks[job] = "finished"

    def mark(self, job):
        with self.lock:
            mark = self.marks.get(job, "lost")
            if mark in ("waiting", "alive") and time.monotonic() - self.born.get(job, 0.0) > 60:
                self.marks[job] = mark = "lost"
            return mark

    def forget(self, job):
        with self.lock:
            self.marks.pop(job, None)
            self.born.pop(job, None)
