"""A lost link deletes the lease of a session, then leaves early if no rank has acknowledged it.

Racy: the acknowledgement comes from the peer, later. A link lost before it takes the lease,
whose age poll tests, and returns before the session is failed.
"""

import threading
import time

RUNNING, FINISHED, BROKEN = 0, 1, 2


class Link:
    def __init__(self, frames):
        self.frames = frames
        self.mutex = threading.Lock()
        self.status = {}
        self.leases = {}
        self.acked = {}
        threading.Thread(target=self._pump, name="link", daemon=True).start()

    def open(self, session):
        with self.mutex:
            self.status[session] = RUNNING
            self.leases[session] = time.monotonic()

    def _pump(self):
        while True:
            frame = self.frames.get()
            if frame.code == 1:
                self._acknowledge(frame.session, frame.rank)
            elif frame.code == 2:
                self._lost(frame.session)
            elif frame.code == 3:
                self._finish(frame.session)

    def _acknowledge(self, session, rank):
        with self.mutex:
            if session in self.status:
                self.acked[session] = rank

    def _lost(self, session):
        with self.mutex:
            if session in self.leases:
                del self.leases[session]  # want "leases"
            if self.acked.get(session) is None:
                return
            if self.status.get(session) == RUNNING:
                self.status[session] = BROKEN

    def _finish(self, session):
        with self.mutex:
            if self.status.get(session) == RUNNING:
                self.status[session] = FINISHED

    def check(self, session):
        with self.mutex:
            status = self.status.get(session, BROKEN)
            since = self.leases.get(session)
            if status == RUNNING and since is not None and time.monotonic() - since > 30:
                self.status[session] = status = BROKEN
            return status

    def close(self, session):
        with self.mutex:
            self.status.pop(session, None)
            self.leases.pop(session, None)
            self.acked.pop(session, None)
