"""The method that removes is kept in a variable, and is given a default."""

import _thread


class Booths:
    def __init__(self, gate):
        self.gate = gate
        self.booths = {}
        _thread.start_new_thread(self._close, ())

    def open(self, booth, owner):
        self.booths[booth] = owner

    def flood(self, booth):
        drop = self.booths.pop
        drop(booth, None)

    def _close(self):
        take = self.booths.pop
        while True:
            booth = self.gate.next_idle()
            if booth in self.booths:
                take(booth, None)
