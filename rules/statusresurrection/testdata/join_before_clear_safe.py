"""The worker stores results without a look; close() removes them all.

Right: close() has the worker end first and waits for it, so nothing is stored after the
removal.
"""

import queue
import threading


class Batch:
    def __init__(self, engine):
        self.engine = engine
        self.jobs = queue.Queue()
        self.results = {}
        self.thread = threading.Thread(target=self._work)
        self.thread.start()

    def submit(self, rid):
        self.jobs.put(rid)

    def _work(self):
        while True:
            rid = self.jobs.get()
            if rid is None:
                return
            try:
                result = self.engine.run(rid, timeout=5)
            except Exception as err:
                result = err
            self.results[rid] = result

    def close(self):
        self.jobs.put(None)
        self.thread.join()
        results = dict(self.results)
        self.results.clear()
        return results
