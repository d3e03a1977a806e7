import threading


class Pool:
    def __init__(self):
        self.jobs = {}
        self.lock = threading.Lock()
        threading.Thread(target=self.watch).start()

    def watch(self):
        while True:
            self.tick.wait(1.0)
            for key, job in self.jobs.items():
                job.poke()

    def add(self, key):
        self.jobs[key] = 1

    def drop(self, key):
        self.jobs.pop(key, None)
