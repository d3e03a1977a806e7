"""A done callback stores how the task came out, if nobody has ended it before.

Right: only RUNNING is replaced.
"""

import enum
import threading
from concurrent.futures import ThreadPoolExecutor


class Outcome(enum.Enum):
    RUNNING = enum.auto()
    COMPLETED = enum.auto()
    CANCELLED = enum.auto()


class Tasks:
    def __init__(self, function):
        self.function = function
        self.lock = threading.Lock()
        self.outcomes = {}
        self.pool = ThreadPoolExecutor(3)

    def launch(self, task):
        with self.lock:
            self.outcomes[task] = Outcome.RUNNING
        future = self.pool.submit(self.function, task, timeout=60)
        future.add_done_callback(lambda done: self._ended(task, done.exception()))

    def _ended(self, task, error):
        with self.lock:
            if self.outcomes.get(task) is Outcome.RUNNING:
                good = error is None
                self.outcomes[task] = Outcome.COMPLETED if good else Outcome.CANCELLED

    def cancel(self, task):
        with self.lock:
            if self.outcomes.get(task) is Outcome.RUNNING:
                self.outcomes[task] = Outcome.CANCELLED

    def outcome(self, task):
        with self.lock:
            return self.outcomes.get(task, Outcome.CANCELLED)

    def drop(self, task):
        with self.lock:
            self.outcomes.pop(task, None)
