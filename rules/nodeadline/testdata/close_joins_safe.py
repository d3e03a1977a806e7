"""close() waits for the threads that it has told to stop.

Right: the wait is bounded, and it is not part of polling; the transfers that are left have been
failed before.
"""

import queue
import threading

QUEUED, SENT, FAILED = range(3)


class Sender:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.jobs = queue.Queue()
        self.states = {}
        self.thread = threading.Thread(target=self._send, daemon=True)
        self.thread.start()

    def submit(self, rid):
        with self.lock:
            self.states[rid] = QUEUED
        self.jobs.put(rid)

    def _send(self):
        while True:
            rid = self.jobs.get()
            if rid is None:
                return
            try:
                self.wire.send(rid, timeout=5)
                state = SENT
            except Exception:
                state = FAILED
            with self.lock:
                if self.states.get(rid) == QUEUED:
                    self.states[rid] = state

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.states.pop(rid, None)

    def close(self):
        with self.lock:
            for rid in list(self.states):
                if self.states[rid] == QUEUED:
                    self.states[rid] = FAILED
        self.jobs.put(None)
        self.thread.join(timeout=10)
