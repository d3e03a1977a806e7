import threading


class Table:
    def __init__(self):
        self.jobs = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.reaper).start()

    def reaper(self):
        while True:
            key = self.inbox.recv()
            self.jobs.pop(key, None)

    def submit(self, key):
        self.jobs[key] = 1

    def finish(self, key):
        if key in self.jobs:
            del self.jobs[key]
