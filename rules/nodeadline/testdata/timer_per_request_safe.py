"""poll() has no clock; each request has a Timer.

Right: the Timer fails the request when the listener has not ended it before.
"""

import threading


class Flag:
    UP = 1
    DOWN = 2
    LATE = 3


class Flags:
    def __init__(self, signals):
        self.signals = signals
        self.lock = threading.Lock()
        self.flags = {}
        threading.Thread(target=lambda: self._watch(), daemon=True).start()

    def hoist(self, name):
        with self.lock:
            self.flags[name] = Flag.UP
        timer = threading.Timer(15, self._late, [name])
        timer.daemon = True
        timer.start()

    def _late(self, name):
        with self.lock:
            if self.flags.get(name) == Flag.UP:
                self.flags[name] = Flag.LATE

    def _watch(self):
        while True:
            name = self.signals.get()
            with self.lock:
                if self.flags.get(name) == Flag.UP:
                    self.flags[name] = Flag.DOWN

    def flag(self, name):
        with self.lock:
            return self.flags.get(name, Flag.LATE)

    def stow(self, name):
        with self.lock:
            self.flags.pop(name, None)
