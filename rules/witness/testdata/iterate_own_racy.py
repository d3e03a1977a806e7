import threading


class Pool:
    def __init__(self):
        self.jobs = {}
        threading.Thread(target=self.watch).start()

    def watch(self):
        while True:
            self.tick.wait(1.0)
            for key in self.jobs:
                if self.old(key):
                    del self.jobs[key]

    def add(self, key):
        self.jobs[key] = 1
