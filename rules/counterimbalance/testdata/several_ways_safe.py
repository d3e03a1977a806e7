"""A writer puts the sheets of requests into a press, and a request may go when none of its sheets is left.

Right: the ways out that the writer knows count down, and so does the handler of exceptions.
"""

import queue
import threading
from collections import defaultdict


class Press:
    def __init__(self, rollers):
        self.rollers = rollers
        self.sheets = queue.Queue()
        self.lock = threading.Lock()
        self.left = defaultdict(int)
        threading.Thread(target=self._print, daemon=True).start()

    def add(self, rid, sheet):
        with self.lock:
            self.left[rid] += 1
        self.sheets.put((rid, sheet))

    def _printed(self, rid):
        with self.lock:
            if rid in self.left:
                self.left[rid] -= 1

    def _print(self):
        while True:
            try:
                self._next(self.sheets.get())
            except OSError:
                continue

    def _next(self, item):
        rid, sheet = item
        try:
            side = self.rollers.side(sheet)
            if side is None:
                self._printed(rid)
                return
            if self.rollers.busy(side):
                self.rollers.wait(side)
            self.rollers.press(sheet, side)
        except Exception:
            self._printed(rid)
            raise
        self._printed(rid)

    def idle(self, rid):
        with self.lock:
            return self.left.get(rid, 0) == 0

    def forget(self, rid):
        with self.lock:
            self.left.pop(rid, None)
