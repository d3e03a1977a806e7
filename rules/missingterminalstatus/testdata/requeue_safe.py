"""A worker puts a job back when its peer is not there yet, and gives it up after a while.

Right: each way back to the head of the loop has settled the job or put it on the queue again.
"""

import queue
import threading
import time


class Job:
    def __init__(self, rid, peer):
        self.rid = rid
        self.peer = peer
        self.give_up = time.monotonic() + 30


class Courier:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.outcome = {}
        threading.Thread(target=self._deliver, daemon=True).start()

    def accept(self, rid, peer):
        with self.lock:
            self.outcome[rid] = "under way"
        self.jobs.put(Job(rid, peer))

    def _deliver(self):
        while True:
            job = self.jobs.get()
            if time.monotonic() > job.give_up:
                self._close(job.rid, "lost")
                continue
            try:
                if not self.wire.connected(job.peer):
                    time.sleep(0.01)
                    self.jobs.put(job)
                    continue
                self.wire.send(job.peer, job.rid, timeout=5)
            except Exception:
                self._close(job.rid, "lost")
                continue
            self._close(job.rid, "delivered")

    def _close(self, rid, outcome):
        with self.lock:
            if self.outcome.get(rid) == "under way":
                self.outcome[rid] = outcome

    def ask(self, rid):
        with self.lock:
            return self.outcome.get(rid, "lost")

    def forget(self, rid):
        with self.lock:
            self.outcome.pop(rid, None)
