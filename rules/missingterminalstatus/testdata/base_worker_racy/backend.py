"""A base whose loop hands each job to process(); a backend that looks up the route of the job.

Racy: process() gives up when the job has no route. Routes are taken away by the base when a
peer goes down, which leaves the jobs to their backend.
"""

from base import DEAD, GONE, Base


class Backend(Base):
    def __init__(self, news, wire):
        self.wire = wire
        super().__init__(news)

    def process(self, job):
        peer = self.route(job)
        if not peer:
            return  # want "routes|fates|process"
        if not self.wire.send(peer, job, timeout=3):
            self.decide(job, DEAD)
        else:
            self.decide(job, GONE)
