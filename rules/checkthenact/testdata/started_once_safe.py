"""The writer is started on first use and only once: nobody removes but this one thread."""

import queue
import threading


class Writer:
    def __init__(self):
        self.jobs = queue.Queue()
        self.offers = {}
        self.started = False

    def ensure_started(self):
        if self.started:
            return
        self.started = True
        threading.Thread(target=self._loop, daemon=True).start()

    def schedule(self, jobs):
        for job in jobs:
            self.ensure_started()
            self.jobs.put(job)

    def offer(self, rid, where):
        self.offers[rid] = where

    def _loop(self):
        while True:
            job = self.jobs.get()
            if job.rid not in self.offers:
                self.jobs.put(job)
                continue
            job.write(self.offers[job.rid])
            del self.offers[job.rid]
