"""Helpers weigh crates, and the lot is listed when they are through.

Right: leaving the with statement waits for all that has been submitted.
"""

import threading
from concurrent.futures import ThreadPoolExecutor


class Scales:
    def __init__(self):
        self.lock = threading.Lock()
        self.weights = {}

    def _weigh(self, crate):
        with self.lock:
            self.weights[crate.name] = crate.put_on()

    def weigh(self, crates):
        with ThreadPoolExecutor(max_workers=4) as helpers:
            for crate in crates:
                helpers.submit(self._weigh, crate)
        for name in self.weights:
            print(name, self.weights[name])

    def remove(self, name):
        del self.weights[name]
