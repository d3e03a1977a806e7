"""abort() writes the reason and calls a helper of the base.

Right: the helper writes the flag for the poller and stops the job for the worker.
"""

import queue
import threading


class Stoppable:
    def __init__(self):
        self.lock = threading.RLock()
        self.stopped = set()
        self.states = {}

    def _stop(self, rid):
        with self.lock:
            if self.states.get(rid) == "going":
                self.states[rid] = "stopped"
                self.stopped.add(rid)


class Machine(Stoppable):
    def __init__(self, engine):
        super().__init__()
        self.engine = engine
        self.reasons = {}
        self.work = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()

    def start(self, rid):
        with self.lock:
            self.states[rid] = "going"
        self.work.put(rid)

    def _run(self):
        while True:
            rid = self.work.get()
            with self.lock:
                if rid in self.stopped or rid not in self.states:
                    continue
            try:
                self.engine.run(rid, timeout=5)
                state = "ran"
            except Exception:
                state = "stopped"
            with self.lock:
                if self.states.get(rid) == "going":
                    self.states[rid] = state

    def abort(self, rid, why):
        with self.lock:
            if rid in self.states:
                self.reasons[rid] = why
                self._stop(rid)

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, "stopped")

    def clear(self, rid):
        with self.lock:
            self.states.pop(rid, None)
            self.stopped.discard(rid)
            self.reasons.pop(rid, None)
