"""cancel() fails the job for the poller; the sending thread looks at `stopped` between two parts.

Racy: cancel() does not put the job there, so all parts of a cancelled job are sent.
"""

import queue
import threading


class Outbox:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.states = {}
        self.stopped = set()
        threading.Thread(target=lambda: self._send(), daemon=True).start()

    def submit(self, job, parts):
        with self.lock:
            self.states[job] = "open"
        self.jobs.put((job, parts))

    def _send(self):
        while True:
            item = self.jobs.get()
            state = "sent"
            try:
                for part in item[1]:
                    if self._is_stopped(item[0]):
                        state = "failed"
                        break
                    self.wire.send(part, timeout=5)
            except Exception:
                state = "failed"
            self._end(item[0], state)

    def _is_stopped(self, job):
        with self.lock:
            return job in self.stopped or job not in self.states

    def _end(self, job, state):
        with self.lock:
            if self.states.get(job) == "open":
                self.states[job] = state

    def state(self, job):
        with self.lock:
            return self.states.get(job, "failed")

    def stop_all(self):
        with self.lock:
            for job in list(self.states):
                if self.states[job] == "open":
                    self.states[job] = "failed"
                    self.stopped.add(job)

    def cancel(self, job):  # want "cancel|stopped"
        with self.lock:
            if self.states.get(job) == "open":
                self.states[job] = "failed"

    def forget(self, job):
        with self.lock:
            self.states.pop(job, None)
            self.stopped.discard(job)
