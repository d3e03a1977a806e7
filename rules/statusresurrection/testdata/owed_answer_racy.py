"""A turnstile counts who has come in for a tour, and shows everybody his number.

Racy: who comes after the tour was called off begins a new count. To ignore him means to show him
nothing, which is for the author to judge.
"""

import threading
from collections import Counter


class Turnstile:
    def __init__(self, gate):
        self.gate = gate
        self.lock = threading.Lock()
        self.come = Counter()
        threading.Thread(target=self._let_in, daemon=True).start()

    def open_tour(self, tour):
        with self.lock:
            self.come[tour] = 0

    def _let_in(self):
        while True:
            tour = self.gate.next()
            with self.lock:
                self.come[tour] += 1  # want "come.tour. is stored even when Turnstile.call_off has removed it"
                number = self.come[tour]
            self.gate.show(tour, number)

    def call_off(self, tour):
        with self.lock:
            self.come.pop(tour, None)
