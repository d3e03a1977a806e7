"""A worker tests for the lease of a job, then removes it as if nobody else could.

Racy: drop() runs on the caller's thread and can take the lease between the test and the pop. The
KeyError ends the worker.
"""

import queue
import threading


class Leases:
    def __init__(self):
        self.jobs = queue.Queue()
        self.leases = {}
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            job = self.jobs.get()
            job.run()
            if job.rid in self.leases:
                self.leases.pop(job.rid)  # want "leases.* is tested, then removed .*drop can remove it"

    def submit(self, job):
        self.leases[job.rid] = job
        self.jobs.put(job)

    def drop(self, rid):
        self.leases.pop(rid, None)
