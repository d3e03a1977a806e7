import queue
import threading

GOING, GONE, DEAD = 0, 1, 2


class Base:
    def __init__(self, news):
        self.news = news
        self.lock = threading.RLock()
        self.jobs = queue.Queue()
        self.routes = {}
        self.fates = {}
        threading.Thread(target=self.loop, daemon=True).start()
        threading.Thread(target=self.hear, daemon=True).start()

    def submit(self, job, peer):
        with self.lock:
            self.fates[job] = GOING
            self.routes[job] = peer
        self.jobs.put(job)

    def loop(self):
        while True:
            job = self.jobs.get()
            try:
                self.process(job)
            except Exception:
                self.decide(job, DEAD)

    def process(self, job):
        raise NotImplementedError

    def hear(self):
        while True:
            peer = self.news.get()
            with self.lock:
                for job in [j for j, p in self.routes.items() if p == peer]:
                    self.routes.pop(job, None)

    def route(self, job):
        with self.lock:
            return self.routes.get(job)

    def decide(self, job, fate):
        with self.lock:
            if self.fates.get(job) == GOING:
                self.fates[job] = fate

    def fate(self, job):
        with self.lock:
            return self.fates.get(job, DEAD)

    def forget(self, job):
        with self.lock:
            self.routes.pop(job, None)
            self.fates.pop(job, None)
