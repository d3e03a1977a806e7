"""A hang-up removes the route always, and concludes the job in one of two ways.

Right: a job without a stage gets a tombstone, which launch() takes up as its first and last
stage.
"""

import queue
import threading
import time


class Stage:
    OPEN = "open"
    SENT = "sent"
    LOST = "lost"


class Relay:
    def __init__(self):
        self.events = queue.Queue()
        self.lock = threading.Lock()
        self.routes = {}
        self.stages = {}
        self.dead_on_arrival = set()
        threading.Thread(target=self._watch, daemon=True).start()

    def connect(self, job):
        with self.lock:
            self.routes[job] = time.monotonic() + 30

    def launch(self, job):
        with self.lock:
            early = job in self.dead_on_arrival
            self.stages[job] = Stage.LOST if early else Stage.OPEN

    def _watch(self):
        while True:
            event = self.events.get()
            with self.lock:
                if event.name == "hangup":
                    known = self.routes.pop(event.job, None)
                    if event.job in self.stages:
                        if self.stages[event.job] == Stage.OPEN:
                            self.stages[event.job] = Stage.LOST
                    elif known is not None:
                        self.dead_on_arrival.add(event.job)
                elif event.name == "sent" and self.stages.get(event.job) == Stage.OPEN:
                    self.stages[event.job] = Stage.SENT

    def stage(self, job):
        with self.lock:
            stage = self.stages.get(job, Stage.LOST)
            until = self.routes.get(job)
            if stage == Stage.OPEN and until is not None and time.monotonic() > until:
                self.stages[job] = stage = Stage.LOST
            return stage

    def retire(self, job):
        with self.lock:
            self.routes.pop(job, None)
            self.stages.pop(job, None)
            self.dead_on_arrival.discard(job)
