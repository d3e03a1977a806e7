"""A worker asserts that the request is still known; cancel makes it unknown."""

import queue
import threading


class Worker:
    def __init__(self):
        self.jobs = queue.Queue()
        self.known = set()
        self.halt = threading.Event()
        threading.Thread(target=self.work).start()

    def work(self):
        while not self.halt.is_set():
            rid, job = self.jobs.get()
            assert rid in self.known, rid  # want "an item can fail this assert"
            job()

    def submit(self, rid, job):
        self.known.add(rid)
        self.jobs.put((rid, job))

    def cancel(self, rid):
        self.known.discard(rid)
