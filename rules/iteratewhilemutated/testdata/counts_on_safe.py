"""A list of jobs from which a sweep removes those that are over, by a count of its own.

Right: the loop walks over a copy, and counts what stays.
"""


class Jobs:
    def __init__(self):
        self.jobs = []

    def add(self, job):
        self.jobs.append(job)

    def sweep(self):
        place = 0
        for job in list(self.jobs):
            if job.over():
                del self.jobs[place]
                continue
            place += 1
