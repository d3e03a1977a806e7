"""A worker tests that its job is open, copies, and stores "done".

Racy: abort() may store "failed" during the copy; "done" replaces it, after the poller has given
the pages back.
"""

import queue
import threading


class Copier:
    def __init__(self, device):
        self.device = device
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.states = {}
        threading.Thread(target=self._copy, daemon=True).start()

    def submit(self, job, pages):
        with self.lock:
            self.states[job] = "open"
        self.jobs.put((job, pages))

    def _copy(self):
        while True:
            item = self.jobs.get()
            job = item[0]
            with self.lock:
                if self.states.get(job) != "open":
                    continue
            try:
                self.device.copy(item[1], timeout=30)
                state = "done"
            except Exception:
                state = "failed"
            with self.lock:
                if job in self.states:
                    self.states[job] = state  # want "states"

    def abort(self, job):
        with self.lock:
            if self.states.get(job) == "open":
                self.states[job] = "failed"

    def state(self, job):
        with self.lock:
            return self.states.get(job, "failed")

    def forget(self, job):
        with self.lock:
            self.states.pop(job, None)
