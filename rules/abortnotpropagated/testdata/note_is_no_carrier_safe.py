"""abort() fails the request and does not touch the set of those that were slow.

Right: `slow` is read by the report only; no poller and no worker decides anything by it.
"""

import threading
import time

OPEN, DONE, FAILED = range(3)


class Clinic:
    def __init__(self, exits):
        self.exits = exits
        self.lock = threading.Lock()
        self.states = {}
        self.entered = {}
        self.slow = set()
        threading.Thread(target=self._watch, daemon=True).start()

    def enter(self, rid):
        with self.lock:
            self.states[rid] = OPEN
            self.entered[rid] = time.monotonic()

    def _watch(self):
        while True:
            rid = self.exits.get()
            with self.lock:
                if self.states.get(rid) == OPEN:
                    self.states[rid] = DONE

    def poll(self, rid):
        with self.lock:
            age = time.monotonic() - self.entered.get(rid, 0.0)
            if self.states.get(rid) == OPEN and age > 30:
                self.states[rid] = FAILED
                self.slow.add(rid)
            return self.states.get(rid, FAILED)

    def abort(self, rid):
        with self.lock:
            if self.states.get(rid) == OPEN:
                self.states[rid] = FAILED

    def report(self):
        with self.lock:
            return sorted(self.slow)

    def clear(self, rid):
        with self.lock:
            self.states.pop(rid, None)
            self.entered.pop(rid, None)
            self.slow.discard(rid)
