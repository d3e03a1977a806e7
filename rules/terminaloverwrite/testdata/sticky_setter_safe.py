"""A setter that every thread uses, and that leaves ended requests alone.

Right: what callers pass and when they do so makes no difference to a request that has ended.
"""

import queue
import threading

QUEUED, RUNNING, DONE, FAILED = range(4)
ENDED = (DONE, FAILED)


class Plant:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.states = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _set(self, rid, state):
        with self.lock:
            if rid not in self.states or self.states[rid] in ENDED:
                return
            self.states[rid] = state

    def submit(self, rid):
        with self.lock:
            self.states[rid] = QUEUED
        self.jobs.put(rid)

    def _run(self):
        while True:
            rid = self.jobs.get()
            if self.state(rid) != QUEUED:
                continue
            self._set(rid, RUNNING)
            try:
                self.engine.run(rid, timeout=5)
                self._set(rid, DONE)
            except Exception:
                self._set(rid, FAILED)

    def abort(self, rid):
        self._set(rid, FAILED)

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.states.pop(rid, None)
