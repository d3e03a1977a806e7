"""Reads that fail without the entry, in statements of all kinds."""

import threading


class Harbour:
    def __init__(self, bell):
        self.bell = bell
        self.ships = {}
        threading.Thread(target=self._close, daemon=True).start()

    def _close(self):
        while True:
            self.ships.pop(self.bell.wait(), None)

    def add(self, name, ship):
        self.ships[name] = ship

    def used(self, name):
        self.ships[name].sail()  # strict

    def used_in_loop(self, names):
        for name in names:
            self.ships[name].sail()  # strict

    def loop_test(self, name):
        while self.ships[name] < 3:  # strict
            self.bell.ring()

    def loop_test_either(self, name, late):
        while self.ships[name] < 3 or late:  # strict
            self.bell.ring()

    def loop_test_second(self, name, late):
        while late or self.ships[name] < 3:  # strict
            self.bell.ring()

    def in_loop_body(self, name):
        while True:
            if self.ships[name] > 3:  # strict
                break

    def in_comprehension(self, names):
        return [self.ships[name] for name in names]  # strict

    def stored(self, name):
        self.ships[name] += 1  # strict
