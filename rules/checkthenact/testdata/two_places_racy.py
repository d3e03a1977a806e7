"""A worker looks at the state of a job before and after it has copied its blocks.

Racy: forget() can remove the state behind either test.
"""

import queue
import threading
import time


class State:
    QUEUED = 1
    COPIED = 2
    FAILED = 3


class Mover:
    def __init__(self, engine):
        self.engine = engine
        self.jobs = queue.Queue()
        self.states = {}
        threading.Thread(target=self._move, daemon=True).start()

    def submit(self, job_id, blocks):
        self.states[job_id] = State.QUEUED
        self.jobs.put((job_id, blocks, time.monotonic() + 30))

    def _move(self):
        while True:
            job_id, blocks, deadline = self.jobs.get()
            if job_id not in self.states or self.states[job_id] == State.FAILED:  # want "tested, then read"
                continue
            for block in blocks:
                if time.monotonic() > deadline:
                    break
                self.engine.copy(block)
            if job_id in self.states and self.states[job_id] != State.FAILED:
                self.engine.notify(job_id)

    def forget(self, job_id):
        self.states.pop(job_id, None)
