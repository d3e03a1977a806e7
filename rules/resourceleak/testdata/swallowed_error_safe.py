"""A worker stages pages in a buffer.

Right: the buffer goes back in a finally.
"""

import logging
import queue
import threading

logger = logging.getLogger(__name__)


class Saves:
    def __init__(self, pool, store):
        self.pool = pool
        self.store = store
        self.jobs = queue.Queue()
        self.saved = set()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            job = self.jobs.get()
            buffer = self.pool.alloc_buffer()
            try:
                self.store.save(job.key, buffer)
                self.saved.add(job.key)
            except OSError as e:
                logger.warning("saving %s: %s", job.key, e)
            finally:
                self.pool.free_buffer(buffer)
