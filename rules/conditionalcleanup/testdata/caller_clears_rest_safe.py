"""The listener hands a lost request to _lost(), which removes one of its two entries and fails it.

Right: _listen(), its only caller, removes the other one in the same critical section.
"""

import threading
import time

OPEN, DONE, FAILED = range(3)


class Hub:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.targets = {}
        self.ends = {}
        self.states = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def open(self, rid, target):
        with self.lock:
            self.states[rid] = OPEN
            self.targets[rid] = target
            self.ends[rid] = time.monotonic() + 30

    def _lost(self, rid):
        self.targets.pop(rid, None)
        if self.states.get(rid) == OPEN:
            self.states[rid] = FAILED

    def _listen(self):
        while True:
            message = self.inbox.get()
            with self.lock:
                if message.lost:
                    self._lost(message.rid)
                    self.ends.pop(message.rid, None)
                elif self.states.get(message.rid) == OPEN:
                    self.states[message.rid] = DONE

    def state(self, rid):
        with self.lock:
            late = time.monotonic() > self.ends.get(rid, float("inf"))
            if late and self.states.get(rid) == OPEN:
                self.states[rid] = FAILED
            return self.states.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.targets.pop(rid, None)
            self.ends.pop(rid, None)
            self.states.pop(rid, None)
