"""A list of jobs from which a sweep removes those that are over, by a count of what stays.

Racy: the loop walks over the list that it shortens, so the job behind one that was removed is
not looked at. The count is right for a copy.
"""


class Jobs:
    def __init__(self):
        self.jobs = []

    def add(self, job):
        self.jobs.append(job)

    def sweep(self):
        kept = 0
        for job in self.jobs:  # want "the loop over self.jobs changes it"
            if job.over():
                self.jobs.pop(kept)
            else:
                kept += 1
