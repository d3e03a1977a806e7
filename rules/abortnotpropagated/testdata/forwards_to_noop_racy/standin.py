"""A base receiver whose abort() does nothing; a stand-in backend for tests that leaves it to the
base.

Racy: the stand-in's poll() is computed from what it has received, so an aborted receiver never
says "failed".
"""

import time

from receiver import Receiver


class StandInReceiver(Receiver):
    def __init__(self, rid, delay):
        super().__init__(rid)
        self.verdict = None
        self.ready_at = time.monotonic() + delay
        self.started = False

    def start(self):
        self.started = True

    def poll(self):
        if self.verdict is None and self.started and time.monotonic() > self.ready_at:
            self.verdict = "done"
        if self.verdict is None and time.monotonic() - self.ready_at > 30:
            self.verdict = "failed"
        return self.verdict or "waiting"

    def abort(self):  # want "abort"
        super().abort()
