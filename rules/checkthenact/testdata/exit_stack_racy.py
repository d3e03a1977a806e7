"""The ExitStack lets go of the lock before the entry is removed."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor


class Lanes:
    def __init__(self, size):
        self.pool = ThreadPoolExecutor(max_workers=size)
        self.barrier = threading.Lock()
        self.lanes = {}

    def enter(self, car, value):
        with self.barrier:
            self.lanes[car] = value
        self.pool.submit(self._leave, car)

    def _leave(self, car):
        print("leave", car)
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.barrier)
            known = car in self.lanes
        if known:
            del self.lanes[car]  # want "lanes.* is tested, then removed"

    def tow(self, car):
        self.barrier.acquire()
        with contextlib.ExitStack() as stack:
            stack.callback(self.barrier.release)
            self.lanes.pop(car, None)
