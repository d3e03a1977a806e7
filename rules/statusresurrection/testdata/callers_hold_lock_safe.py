"""A helper that makes the list of a request when it is missing, and takes no lock.

Right: its one caller tests that the request is known, and holds the lock from the test on.
"""

import threading
import time

OPEN, FULL, CLOSED = range(3)


class Shelf:
    def __init__(self, feed):
        self.feed = feed
        self.lock = threading.Lock()
        self.states = {}
        self.ends = {}
        self.pages = {}
        threading.Thread(target=self._feed, daemon=True).start()

    def _add(self, rid, page):
        self.pages.setdefault(rid, []).append(page)
        if page.last:
            self.states[rid] = FULL

    def _feed(self):
        while True:
            page = self.feed.get()
            with self.lock:
                if self.states.get(page.rid) == OPEN:
                    self._add(page.rid, page)

    def open(self, rid):
        with self.lock:
            self.states[rid] = OPEN
            self.ends[rid] = time.monotonic() + 30

    def state(self, rid):
        with self.lock:
            late = time.monotonic() > self.ends.get(rid, 0.0)
            if late and self.states.get(rid) == OPEN:
                self.states[rid] = CLOSED
            return self.states.get(rid, CLOSED)

    def clear(self, rid):
        with self.lock:
            self.states.pop(rid, None)
            self.ends.pop(rid, None)
            self.pages.pop(rid, None)
