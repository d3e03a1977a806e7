"""A setter in the base that refuses to leave a final stage; workers report through it.

Right: for a job that is not in the table the setter does nothing.
"""

import queue
import threading

from stages import Stage, StageTable


class Shipping(StageTable):
    def __init__(self, dock):
        super().__init__()
        self.dock = dock
        self.orders = queue.Queue()
        threading.Thread(target=self.ship, daemon=True).start()

    def submit(self, job):
        self.open(job)
        self.orders.put(job)

    def ship(self):
        while True:
            job = self.orders.get()
            try:
                self.dock.load(job, timeout=10)
            except Exception:
                self.record(job, Stage.LOST)
            else:
                self.record(job, Stage.SHIPPED)

    def abort(self, job):
        self.record(job, Stage.LOST)
