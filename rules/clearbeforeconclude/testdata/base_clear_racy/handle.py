"""A watchdog thread ends handles through the close() of their base.

Racy: give_up() closes before it sets the verdict; a poll in between passes the test of the
verdict and finds no stage.
"""

import threading
import time

from base import BaseHandle, Stage, Yard


class WatchedHandle(BaseHandle):
    def __init__(self, yard: Yard, job, peer):
        super().__init__(yard, job)
        self.peer = peer
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        end = time.monotonic() + 60
        while self.verdict is None:
            time.sleep(1)
            if time.monotonic() > end or not self.peer.alive():
                self.give_up()
                return

    def give_up(self):
        with self.yard.mutex:
            if self.yard.stages.get(self.job) is not Stage.OPEN:
                return
        self.close()  # want "stages|close"
        self.verdict = Stage.LOST

    def sent(self):
        with self.yard.mutex:
            if self.yard.stages.get(self.job) is Stage.OPEN:
                self.yard.stages[self.job] = Stage.SENT

    def progress(self):
        if self.verdict is not None:
            return self.verdict
        with self.yard.mutex:
            return self.yard.stages[self.job]
