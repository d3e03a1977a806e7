"""A watchdog thread ends handles through the close() of their base.

Right: give_up() sets the verdict, then closes.
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
        self.verdict = Stage.LOST
        self.close()

    def sent(self):
        with self.yard.mutex:
            if self.yard.stages.get(self.job) is Stage.OPEN:
                self.yard.stages[self.job] = Stage.SENT

    def progress(self):
        if self.verdict is not None:
            return self.verdict
        with self.yard.mutex:
            return self.yard.stages.get(self.job, Stage.LOST)
