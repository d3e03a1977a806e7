"""Test, removal and insert all run on the caller's thread; the worker only reads sizes."""

import queue
import threading


class Window:
    def __init__(self):
        self.jobs = queue.Queue()
        self.open = {}
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self):
        while True:
            job = self.jobs.get()
            job.run(len(self.open))

    def start(self, rid, job):
        self.open[rid] = job
        self.jobs.put(job)

    def stop(self, rid):
        if rid in self.open:
            del self.open[rid]
