"""Old jobs are swept out when a new one comes.

Racy: when nothing new comes, nothing is swept: the last jobs of the day wait for ever.
"""

import threading
import time
from enum import IntEnum


class Code(IntEnum):
    FAILED = 0
    OPEN = 1
    DONE = 2


class Desk:
    def __init__(self, feed):
        self.feed = feed
        self.lock = threading.RLock()
        self.codes = {}
        self.since = {}
        threading.Thread(target=self._feed, daemon=True).start()

    def submit(self, job):
        with self.lock:
            self._sweep()
            self.codes[job] = Code.OPEN
            self.since[job] = time.monotonic()

    def _sweep(self):
        now = time.monotonic()
        for job, since in list(self.since.items()):
            if now - since > 30 and self.codes.get(job) == Code.OPEN:
                self.codes[job] = Code.FAILED

    def _feed(self):
        while True:
            job = self.feed.get()
            with self.lock:
                if self.codes.get(job) == Code.OPEN:
                    self.codes[job] = Code.DONE

    def code(self, job):  # want "code"
        with self.lock:
            return self.codes.get(job, Code.FAILED)

    def drop(self, job):
        with self.lock:
            self.codes.pop(job, None)
            self.since.pop(job, None)
