"""A worker copies, tests that its session is known, and stores the outcome.

Right: test and store are in one critical section.
"""

import queue
import threading

BUSY, FINE, SPOILT = 0, 1, 2


class CopyDesk:
    def __init__(self, device):
        self.device = device
        self.lock = threading.Lock()
        self.line = queue.Queue()
        self.outcomes = {}
        threading.Thread(target=self._copy, daemon=True).start()

    def begin(self, session, pages):
        with self.lock:
            self.outcomes[session] = BUSY
        self.line.put((session, pages))

    def _copy(self):
        while True:
            item = self.line.get()
            session = item[0]
            try:
                self.device.copy(item[1])
                outcome = FINE
            except Exception:
                outcome = SPOILT
            with self.lock:
                if session in self.outcomes:
                    self.outcomes[session] = outcome

    def outcome(self, session):
        with self.lock:
            return self.outcomes.get(session, SPOILT)

    def end(self, session):
        with self.lock:
            self.outcomes.pop(session, None)
