"""The constructor always raises: nobody has an object whose hooks could be called."""

import threading


class Table:
    def __init__(self):
        self.jobs = {}
        threading.Thread(target=self.reap).start()
        raise NotImplementedError("one table for each kind of job")

    def add(self, key):
        self.jobs[key] = 1

    def finish(self, key):
        if key in self.jobs:
            del self.jobs[key]

    def reap(self):
        while True:
            key = receive()
            self.jobs.pop(key, None)
