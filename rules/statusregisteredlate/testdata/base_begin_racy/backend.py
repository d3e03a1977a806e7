"""The base routes a job before it begins it; a backend loses nodes and fails their jobs.

Racy: the job of a lost node that is routed and not begun is passed over, and begun afterwards
on a dead route.
"""

import threading

from base import Base, Stage


class Backend(Base):
    def __init__(self, losses, acks):
        super().__init__()
        self.losses = losses
        self.acks = acks
        threading.Thread(target=self._lost, daemon=True).start()
        threading.Thread(target=self._acked, daemon=True).start()

    def _lost(self):
        while True:
            node = self.losses.get()
            with self.mutex:
                for job, where in list(self.route_of.items()):
                    if where == node and job in self.stage_of:
                        self.move(job, Stage.LOST)
                        self.route_of.pop(job, None)

    def _acked(self):
        while True:
            self.move(self.acks.get(), Stage.SENT)
