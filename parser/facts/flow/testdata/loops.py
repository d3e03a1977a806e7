import queue
import time


class Line:
    def __init__(self):
        self.jobs = queue.Queue()
        self.rows = {}
        self.stop = False

    def run(self):
        while not self.stop:
            job = self.jobs.get(timeout=1)
            if job.key in self.rows:
                self.jobs.put(job)
                continue
            if job.last:
                break
            self.rows[job.key] = job
        else:
            self.rows.clear()

    def expire(self, limit):
        now = time.monotonic()
        for key, job in list(self.rows.items()):
            if now - job.born > limit:
                del self.rows[key]

    def close(self):
        self.stop = True
