"""An ExitStack holds the lock until its with statement ends."""

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
            stack.callback(print, "left", car)
            stack.enter_context(self.barrier)
            if car in self.lanes:
                del self.lanes[car]

    def tow(self, car):
        self.barrier.acquire()
        with contextlib.ExitStack() as stack:
            stack.callback(self.barrier.release)
            self.lanes.pop(car, None)
