"""A reporter counts what waits in the places of a desk, for the batch that it is given.

Right: it looks for nothing in them.
"""


class Desk:
    def __init__(self, link):
        self.link = link
        self.fresh = []
        self.parked = []

    def add(self, job):
        self.fresh.append(job)

    def park(self):
        for job in list(self.fresh):
            if not job.ready:
                self.fresh.remove(job)
                self.parked.append(job)

    def wake(self):
        for job in list(self.parked):
            if job.ready:
                self.parked.remove(job)
                self.link.send(job)


class Reporter:
    def __init__(self, sink):
        self.desk = Desk(sink)
        self.sink = sink
        self.waiting = []
        self.running = []

    def take(self, job):
        self.waiting.append(job)

    def run(self):
        job = self.waiting.pop(0)
        self.running.append(job)

    def end(self, job):
        self.running.remove(job)

    def report(self, batch):
        for job in self.waiting:
            if job.batch == batch:
                self.sink.write(job)
        for job in self.running:
            if job.batch == batch:
                self.sink.write(job)
        self.sink.write(batch.size, len(self.desk.parked))
