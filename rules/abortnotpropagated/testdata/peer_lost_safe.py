"""A heartbeat thread fails the jobs of a node that it has lost.

Right: it writes the phases and sets the flag of each job.
"""

import enum
import threading
import time
from concurrent.futures import ThreadPoolExecutor


class Phase(enum.Enum):
    COPYING = 0
    COPIED = 1
    LOST = 2


class Job:
    def __init__(self, node):
        self.node = node
        self.halted = False


class Cluster:
    def __init__(self, nodes):
        self.nodes = nodes
        self.lock = threading.RLock()
        self.jobs = {}
        self.phases = {}
        self.pool = ThreadPoolExecutor(4)
        threading.Thread(target=self._heartbeat, daemon=True).start()

    def start(self, rid, node, pages):
        with self.lock:
            self.jobs[rid] = job = Job(node)
            self.phases[rid] = Phase.COPYING
        self.pool.submit(self._copy, rid, job, pages)

    def _copy(self, rid, job: Job, pages):
        phase = Phase.COPIED
        try:
            for page in pages:
                if job.halted:
                    phase = Phase.LOST
                    break
                self.nodes.copy(page, timeout=1)
        except Exception:
            phase = Phase.LOST
        self._move(rid, phase)

    def _move(self, rid, phase):
        with self.lock:
            if self.phases.get(rid) is Phase.COPYING:
                self.phases[rid] = phase

    def _heartbeat(self):
        while True:
            time.sleep(5)
            for node in self.nodes.lost():
                self._on_lost(node)

    def _on_lost(self, node):
        with self.lock:
            for rid, job in list(self.jobs.items()):
                if job.node == node:
                    job.halted = True
                    self._move(rid, Phase.LOST)

    def abort(self, rid):
        with self.lock:
            job = self.jobs.get(rid)
            if job is not None:
                job.halted = True
                self._move(rid, Phase.LOST)

    def phase(self, rid):
        with self.lock:
            return self.phases.get(rid, Phase.LOST)

    def clear(self, rid):
        with self.lock:
            self.jobs.pop(rid, None)
            self.phases.pop(rid, None)
