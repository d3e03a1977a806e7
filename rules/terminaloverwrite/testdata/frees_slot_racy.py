"""A done callback frees the slot of a task and stores how it came out.

Racy: cancel() has answered the task as CANCELLED; the callback makes COMPLETED of it. The slot
has to be freed all the same.
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
            if task in self.outcomes:
                good = error is None
                self.outcomes[task] = Outcome.COMPLETED if self._release(task) else Outcome.CANCELLED  # want "COMPLETED is stored in outcomes"

    def _release(self, task):
        self.slots = getattr(self, "slots", 0) + 1
        return True

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
