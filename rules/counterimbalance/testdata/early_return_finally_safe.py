"""A saver that counts the jobs of each request.

Right: a finally counts down under a lock, on the way out of a request that has nothing to save as
well as when the store fails.
"""

import queue
import threading


class Saver(threading.Thread):
    def __init__(self, store):
        super().__init__(daemon=True)
        self.store = store
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.left = {}

    def add(self, job):
        with self.lock:
            self.left[job.rid] = self.left.get(job.rid, 0) + 1
        self.jobs.put(job)

    def _done(self, rid):
        with self.lock:
            if rid in self.left:
                self.left[rid] -= 1

    def drop(self, rid):
        with self.lock:
            self.left.pop(rid, None)

    def run(self):
        while True:
            try:
                self._save(self.jobs.get())
            except Exception as err:
                print("save failed:", err)

    def _save(self, job):
        rid = job.rid
        if rid not in self.left:
            return
        try:
            if not job.pages:
                return
            missing = self.store.missing(job.pages)
            self.store.put(missing)
        finally:
            self._done(rid)
