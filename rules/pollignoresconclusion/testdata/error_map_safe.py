"""Transfers run in an executor; the done callback stores what went wrong.

Right: state() reads `errors` before `progress`.
"""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

MOVING, ARRIVED, FAULT = 0, 1, 2


class Shuttle:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.started = {}
        self.progress = {}
        self.errors = {}
        self.pool = ThreadPoolExecutor(8)

    def launch(self, ticket, pages):
        with self.lock:
            self.started[ticket] = time.monotonic()
            self.progress[ticket] = MOVING
        future = self.pool.submit(self.engine.move, pages)
        future.add_done_callback(partial(self._landed, ticket))

    def _landed(self, ticket, future):
        error = future.exception()
        with self.lock:
            if self.progress.get(ticket) != MOVING:
                return
            if error is not None:
                self.errors[ticket] = error
            else:
                self.progress[ticket] = ARRIVED

    def state(self, ticket):
        with self.lock:
            if ticket in self.errors:
                return FAULT
            state = self.progress.get(ticket, FAULT)
            if state == MOVING and time.monotonic() - self.started.get(ticket, 0.0) > 3600:
                self.progress[ticket] = state = FAULT
            return state

    def drop(self, ticket):
        with self.lock:
            self.started.pop(ticket, None)
            self.progress.pop(ticket, None)
            self.errors.pop(ticket, None)
