"""A missing result means that the worker has not come to the request yet.

Right: the worker always makes one, and the only remover is the hook that hands a result out,
once.
"""

import queue
import threading

LATER, GOOD, BAD = range(3)


class Oven:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.orders = queue.Queue()
        self.results = {}
        threading.Thread(target=self._bake, daemon=True).start()

    def order(self, number):
        self.orders.put(number)

    def _bake(self):
        while True:
            number = self.orders.get()
            try:
                self.engine.bake(number, timeout=10)
                result = GOOD
            except Exception:
                result = BAD
            with self.lock:
                self.results[number] = result

    def collect(self, number):
        """Returns the result and forgets it; LATER while there is none."""
        with self.lock:
            return self.results.pop(number, LATER)
