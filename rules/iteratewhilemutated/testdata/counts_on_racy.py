"""A list of jobs from which a sweep removes those that are over, by a count of its own.

Racy: the loop walks over the list that it shortens, so the job behind one that was removed is
not looked at. Over a copy, the count must not go on where a job was removed.
"""


class Jobs:
    def __init__(self):
        self.jobs = []

    def add(self, job):
        self.jobs.append(job)

    def sweep(self):
        place = 0
        for job in self.jobs:  # want "the loop over self.jobs changes it"
            if job.over():
                del self.jobs[place]
            place += 1
