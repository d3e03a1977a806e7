import threading


class Table:
    def __init__(self):
        self.jobs = {}
        self.lock = threading.RLock()
        threading.Thread(target=self.reaper).start()

    def reaper(self):
        while True:
            key = self.inbox.recv()
            with self.lock:
                self.drop(key)

    def submit(self, key):
        self.jobs[key] = 1

    def finish(self, key):
        with self.lock:
            self.drop(key)

    def drop(self, key):
        with self.lock:
            if key in self.jobs:
                del self.jobs[key]
