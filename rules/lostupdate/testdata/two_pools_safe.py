"""Two allocators of one class, one for each thread."""

import queue
import threading


class Pool:
    def __init__(self, size):
        self.size = size
        self.used = 0

    def take(self, n):
        if self.used + n > self.size:
            return False
        self.used += n
        return True

    def give(self, n):
        self.used -= n


class Engine:
    def __init__(self):
        self.jobs = queue.Queue()
        self.loads = Pool(4)
        self.saves = Pool(4)
        threading.Thread(target=self._load).start()
        threading.Thread(target=self._save).start()

    def _load(self):
        while True:
            job = self.jobs.get()
            if self.loads.take(job.n):
                job.load()
                self.loads.give(job.n)

    def _save(self):
        while True:
            job = self.jobs.get()
            if self.saves.take(job.n):
                job.save()
                self.saves.give(job.n)
