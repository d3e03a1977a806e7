"""A worker tests that its session is known, copies, and stores the outcome.

Racy: the test is made under the lock, but the lock is given back for the copy; end() can run
meanwhile.
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
            with self.lock:
                if session not in self.outcomes:
                    continue
            try:
                self.device.copy(item[1])
                outcome = FINE
            except Exception:
                outcome = SPOILT
            with self.lock:
                self.outcomes[session] = outcome  # want "outcomes"

    def outcome(self, session):
        with self.lock:
            return self.outcomes.get(session, SPOILT)

    def end(self, session):
        with self.lock:
            self.outcomes.pop(session, None)
