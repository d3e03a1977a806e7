"""A worker stores FAILED in the handler and DONE in the else clause.

Right: one of them runs.
"""

import queue
import threading


class Mark:
    QUEUED = 1
    DONE = 2
    FAILED = 3


class Baker:
    def __init__(self, oven):
        self.oven = oven
        self.lock = threading.Lock()
        self.orders = queue.Queue()
        self.marks = {}
        threading.Thread(target=lambda: self._bake(), daemon=True).start()

    def order(self, number):
        with self.lock:
            self.marks[number] = Mark.QUEUED
        self.orders.put(number)

    def _bake(self):
        while True:
            number = self.orders.get()
            try:
                self.oven.bake(number, timeout=30)
            except Exception:
                with self.lock:
                    if number in self.marks:
                        self.marks[number] = Mark.FAILED
            else:
                with self.lock:
                    if number in self.marks:
                        self.marks[number] = Mark.DONE

    def mark(self, number):
        with self.lock:
            return self.marks.get(number, Mark.FAILED)

    def collect(self, number):
        with self.lock:
            self.marks.pop(number, None)
