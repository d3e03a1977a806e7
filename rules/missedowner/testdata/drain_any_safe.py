"""drain() steps until nothing is left, then closes the sockets.

Right: the generator goes over all three lists.
"""

import time


class Connector:
    def __init__(self, sockets, disk):
        self.sockets = sockets
        self.disk = disk
        self.sends = []
        self.loads = []
        self.offloads = []

    def send(self, job):
        self.sends.append(job)

    def load(self, job):
        self.loads.append(job)

    def offload(self, job):
        self.offloads.append(job)

    def step(self):
        self.sends = [job for job in self.sends if not self.sockets.sent(job)]
        self.loads = [job for job in self.loads if not self.sockets.received(job)]
        self.offloads = [job for job in self.offloads if not self.disk.written(job)]

    def busy(self):
        return any(jobs for jobs in (self.sends, self.loads, self.offloads))

    def drain(self, limit):
        end = time.monotonic() + limit
        while self.busy() and time.monotonic() < end:
            self.step()
            time.sleep(0.01)
        self.sockets.close()

    def abort(self, job):
        for jobs in (self.sends, self.loads, self.offloads):
            if job in jobs:
                jobs.remove(job)
