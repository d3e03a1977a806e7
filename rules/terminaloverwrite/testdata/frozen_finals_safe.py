"""A request that has ended keeps its status.

Right: no status is stored over one that ends the request, under one lock. The ends are a set.
"""

import enum
import threading
import time


class State(enum.Enum):
    WAITING = 1
    DONE = 2
    FAILED = 3


FINAL = frozenset({State.DONE, State.FAILED})


class Manager:
    def __init__(self, jobs):
        self.jobs = jobs
        self.lock = threading.Lock()
        self.status = {}
        self.until = {}
        threading.Thread(target=self.work, daemon=True).start()
        threading.Thread(target=self.listen, daemon=True).start()

    def add(self, rid):
        with self.lock:
            self.until[rid] = time.monotonic() + 60
            self.status[rid] = State.WAITING

    def work(self):
        while True:
            rid = self.jobs.get()
            with self.lock:
                if rid in self.status and self.status[rid] not in FINAL:
                    self.status[rid] = State.DONE

    def listen(self):
        while True:
            rid = self.jobs.get_lost()
            with self.lock:
                if rid in self.status and self.status[rid] not in FINAL:
                    self.status[rid] = State.FAILED

    def poll(self, rid):
        with self.lock:
            state = self.status[rid]
            if state not in FINAL and time.monotonic() > self.until[rid]:
                state = State.FAILED
            if state in FINAL:
                del self.status[rid]
                del self.until[rid]
            return state
