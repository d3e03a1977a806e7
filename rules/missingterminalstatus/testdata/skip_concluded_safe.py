"""A worker skips jobs that have failed meanwhile, or that are no longer known.

Right: a job is skipped because it is over already: FAILED is what the poller waits for, and
only clear() removes the entry, after the poller has let go.
"""

import queue
import threading

QUEUED, DONE, FAILED = 0, 1, 2


class Shop:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.status = {}
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, rid):
        with self.lock:
            self.status[rid] = QUEUED
        self.jobs.put(rid)

    def abort(self, rid):
        self._settle(rid, FAILED)

    def _work(self):
        while True:
            rid = self.jobs.get()
            with self.lock:
                status = self.status.get(rid)
            if status is None or status == FAILED:
                continue
            try:
                assert self.engine.ready(), "engine not ready"
                self.engine.run(rid, timeout=5)
                self._settle(rid, DONE)
            except Exception:
                self._settle(rid, FAILED)

    def _settle(self, rid, status):
        with self.lock:
            if self.status.get(rid) == QUEUED:
                self.status[rid] = status

    def poll(self, rid):
        with self.lock:
            return self.status.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.status.pop(rid, None)
