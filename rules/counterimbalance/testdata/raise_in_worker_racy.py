"""A thread stores the pages of requests; a request may end when none of its jobs is left.

Wrong: when the store cannot be asked, the loop logs that and takes the next job. The job of this
one is never counted down.
"""

import logging
import queue
import threading
from collections import defaultdict

logger = logging.getLogger(__name__)


class Storing(threading.Thread):
    def __init__(self, store):
        super().__init__(daemon=True)
        self.store = store
        self.jobs = queue.Queue()
        self.lock = threading.Lock()
        self.left = defaultdict(int)

    def add(self, rid, pages):
        with self.lock:
            self.left[rid] += 1
        self.jobs.put((rid, pages))

    def _job_done(self, rid):
        with self.lock:
            if rid in self.left:
                self.left[rid] -= 1

    def run(self):
        while True:
            try:
                job = self.jobs.get()
                if job is None:
                    continue
                self._store(job)
            except Exception as e:
                logger.error("storing: %s", e)

    def _store(self, job):
        rid, pages = job
        if rid not in self.left:
            return
        missing = self.store.missing(pages)  # want "left.rid. is not counted down when this raises"
        if missing:
            self.store.put(missing)
        self._job_done(rid)

    def idle(self, rid):
        with self.lock:
            return self.left.get(rid, 0) == 0

    def forget(self, rid):
        with self.lock:
            self.left.pop(rid, None)
