"""Statuses are ordered, and the base's setter keeps the greater of the old and the new.

Right: FAILED goes past the comparison, and stays.
"""

import queue
import threading

from status import Status, StatusBase


class Backend(StatusBase):
    def __init__(self, engine):
        super().__init__()
        self.engine = engine
        self.jobs = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def submit(self, rid):
        self.register(rid)
        self.jobs.put(rid)

    def _work(self):
        while True:
            rid = self.jobs.get()
            if self.current(rid) != Status.PENDING:
                continue
            self.update(rid, Status.RUNNING)
            try:
                self.engine.run(rid, timeout=5)
                self.update(rid, Status.DONE)
            except Exception:
                self.update(rid, Status.FAILED)

    def abort(self, rid):
        self.update(rid, Status.FAILED)
