"""Each way out of a loop gives the buffer back once.

Right: the branches exclude each other, and each turn has a buffer of its own.
"""


class Saves:
    def __init__(self, pool, store):
        self.pool = pool
        self.store = store
        self.done = set()

    def run(self, jobs):
        for job in jobs:
            buffer = self.pool.alloc_buffer()
            if not self.store.ready(job):
                self.pool.free_buffer(buffer)
                continue
            try:
                self.store.write(job, buffer)
            except OSError:
                self.pool.free_buffer(buffer)
                break
            self.pool.free_buffer(buffer)
            self.done.add(job)
