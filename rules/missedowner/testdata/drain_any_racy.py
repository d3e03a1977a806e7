"""drain() steps until nothing is left, then closes the sockets.

Racy: the generator goes over two of the three lists; offloads that are still written are cut
off.
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

    def busy(self):  # want "offloads|busy"
        return any(jobs for jobs in (self.sends, self.loads))

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
