"""A worker reads the target strictly; a listener may have removed it.

Right: the KeyError is caught with everything else that can go wrong, and the handler fails the
job.
"""

import queue
import threading


class Ferry:
    def __init__(self, engine, gone):
        self.engine = engine
        self.gone = gone
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.targets = {}
        self.states = {}
        threading.Thread(target=self._work, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def submit(self, rid, target):
        with self.lock:
            self.states[rid] = "open"
            self.targets[rid] = target
        self.jobs.put(rid)

    def _work(self):
        while True:
            rid = self.jobs.get()
            try:
                with self.lock:
                    target = self.targets[rid]
                assert target.ready, "target is not ready"
                self.engine.write(target, timeout=5)
                self._settle(rid, "sent")
            except Exception:
                self._settle(rid, "failed")

    def _listen(self):
        while True:
            rid = self.gone.get()
            with self.lock:
                self.targets.pop(rid, None)

    def _settle(self, rid, state):
        with self.lock:
            if self.states.get(rid) == "open":
                self.states[rid] = state

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, "failed")

    def clear(self, rid):
        with self.lock:
            self.targets.pop(rid, None)
            self.states.pop(rid, None)
