"""The worker removes the lease in one step that takes its absence into account."""

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
                self.leases.pop(job.rid, None)

    def submit(self, job):
        self.leases[job.rid] = job
        self.jobs.put(job)

    def drop(self, rid):
        self.leases.pop(rid, None)
