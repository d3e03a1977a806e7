"""Several workers remove, but a key always goes to the same one of them."""

import queue
import threading


class Shards:
    def __init__(self, n):
        self.queues = [queue.Queue() for _ in range(n)]
        self.pending = {}
        for q in self.queues:
            threading.Thread(target=self._work, args=(q,), daemon=True).start()

    def _work(self, q):
        while True:
            job = q.get()
            if job.rid in self.pending:
                self.pending[job.rid].run()
                del self.pending[job.rid]

    def submit(self, rid, job):
        self.pending[rid] = job
        self.queues[rid % len(self.queues)].put(job)
