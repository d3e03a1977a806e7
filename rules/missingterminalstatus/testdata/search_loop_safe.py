"""A worker that gives a job to the first peer with room for it.

Right: the loop looks for one peer and stops there, so what it leaves behind is the one that it
has found; and the last request of a batch closes it, which is meant.
"""

import queue
import threading


class Router(threading.Thread):
    def __init__(self, peers):
        super().__init__(daemon=True)
        self.peers = peers
        self.jobs = queue.Queue()
        self.busy = set()
        self.done = set()

    def add(self, job):
        self.jobs.put(job)

    def run(self):
        while True:
            job = self.jobs.get()
            for peer in self.peers:
                if peer not in self.busy:
                    break
            for part in job.parts:
                if part.send(peer) < 0:
                    self.busy.add(peer)
            self.done.add(job.rid)

    def free(self, peer):
        self.busy.discard(peer)

    def poll(self):
        done, self.done = self.done, set()
        return done
