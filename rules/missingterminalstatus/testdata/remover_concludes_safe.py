"""A worker skips a job whose target has gone.

Right: the listener that takes a target away fails the job in the same critical section.
"""

import queue
import threading


class Fate:
    OPEN = "open"
    MET = "met"
    MISSED = "missed"


class Train:
    def __init__(self, engine, gone):
        self.engine = engine
        self.gone = gone
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.fates = {}
        self.targets = {}
        for body in (self._work, self._listen):
            threading.Thread(target=body, daemon=True).start()

    def submit(self, rid, target):
        with self.lock:
            self.fates[rid] = Fate.OPEN
            self.targets[rid] = target
        self.jobs.put(rid)

    def _work(self):
        while True:
            rid = self.jobs.get()
            with self.lock:
                target = self.targets.get(rid)
            if target is None:
                continue
            try:
                self.engine.write(target, timeout=5)
                fate = Fate.MET
            except Exception:
                fate = Fate.MISSED
            with self.lock:
                if self.fates.get(rid) == Fate.OPEN:
                    self.fates[rid] = fate

    def _listen(self):
        while True:
            rid = self.gone.get()
            with self.lock:
                if self.fates.get(rid) == Fate.OPEN:
                    self.fates[rid] = Fate.MISSED
                self.targets.pop(rid, None)

    def fate(self, rid):
        with self.lock:
            return self.fates.get(rid, Fate.MISSED)

    def clear(self, rid):
        with self.lock:
            self.targets.pop(rid, None)
            self.fates.pop(rid, None)
