"""The helper removes the lease and fails the session; it takes no lock itself.

Right: both callers hold the mutex, so a session that has a lease has a status too, and the
other way round.
"""

import threading
import time

RUNNING, FINISHED, BROKEN = "running", "finished", "broken"


class Switch:
    def __init__(self, frames):
        self.frames = frames
        self.mutex = threading.Lock()
        self.status = {}
        self.leases = {}
        threading.Thread(target=self._pump, daemon=True).start()

    def open(self, session):
        with self.mutex:
            self.status[session] = RUNNING
            self.leases[session] = time.monotonic() + 30

    def _break(self, session):
        self.leases.pop(session, None)
        if self.status.get(session) == RUNNING:
            self.status[session] = BROKEN

    def _pump(self):
        while True:
            frame = self.frames.get()
            with self.mutex:
                if frame.lost:
                    self._break(frame.session)
                elif self.status.get(frame.session) == RUNNING:
                    self.status[frame.session] = FINISHED

    def check(self, session):
        with self.mutex:
            until = self.leases.get(session)
            if until is not None and time.monotonic() > until:
                self._break(session)
            return self.status.get(session, BROKEN)

    def close(self, session):
        with self.mutex:
            self.leases.pop(session, None)
            self.status.pop(session, None)
