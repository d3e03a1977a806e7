"""A base whose loop hands each job to process(); a backend that looks up the route of the job.

Right: process() fails the job when its route has been taken away.
"""

from base import DEAD, GONE, Base


class Backend(Base):
    def __init__(self, news, wire):
        self.wire = wire
        super().__init__(news)

    def process(self, job):
        peer = self.route(job)
        if not peer:
            self.decide(job, DEAD)
            return
        if not self.wire.send(peer, job, timeout=3):
            self.decide(job, DEAD)
        else:
            self.decide(job, GONE)
