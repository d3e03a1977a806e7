"""A pool for each rank, in a process of its own.

Right: processes share no objects. What one takes out of its pool is not in that of another.
"""

import multiprocessing as mp


class Pool:
    def __init__(self, size):
        self.waiting = []
        self.size = size

    def add(self, request):
        self.waiting.append(request)

    def batch(self):
        taken = []
        for request in self.waiting:
            if len(taken) == self.size:
                break
            taken.append(request)
        self.waiting = self.waiting[len(taken):]
        return taken

    def abort(self, rid):
        for i, request in enumerate(self.waiting):
            if request.rid == rid:
                self.waiting.pop(i)
                return request
        return None


class Scheduler:
    def __init__(self, inbox):
        self.inbox = inbox
        self.pool = Pool(8)

    def step(self):
        for message in self.inbox.get():
            if message.kind == "abort":
                self.pool.abort(message.rid)
            else:
                self.pool.add(message)
        return self.pool.batch()

    def run(self):
        while True:
            self.step()


def run_one(rank, inbox):
    scheduler = Scheduler(inbox)
    scheduler.run()


def launch(inboxes):
    for rank, inbox in enumerate(inboxes):
        mp.Process(target=run_one, args=(rank, inbox), daemon=False).start()
