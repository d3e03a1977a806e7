"""A stable of which every method is decorated: with a lock of the module, with one that the decorator is
told the name of, or with a context manager.

Right: the methods run under it.
"""

import contextlib
import functools
import threading

gate = threading.RLock()
calls = 0


def gated(method):
    @functools.wraps(method)
    def through(*args, **kwargs):
        with gate:
            return method(*args, **kwargs)

    return through


def under(name):
    def decorate(method):
        @functools.wraps(method)
        def inner(self, *args):
            with getattr(self, name):
                return method(self, *args)

        return inner

    return decorate


@contextlib.contextmanager
def gate_shut():
    with gate:
        yield


class Stable:
    def __init__(self, bell):
        self.bell = bell
        self.stall = threading.Lock()
        self.horses = {}
        self.mules = {}
        self.goats = {}
        threading.Thread(target=self._serve, daemon=True).start()

    @gated
    def enter(self, name, horse):
        self.horses[name] = horse

    @gated
    def ride(self, name, rider):
        if name in self.horses:
            rider.mount(self.horses[name])

    @gated
    def leave(self, name, quiet):
        self.horses.pop(name, None)

    @under("stall")
    def load(self, name):
        if name in self.mules:
            self.mules[name].load()

    @under("stall")
    def sell(self, name):
        self.mules.pop(name, None)

    @gate_shut()
    def milk(self, name):
        if name in self.goats:
            return self.goats[name].milk()
        return None

    @gate_shut()
    def lose(self, name):
        self.goats.pop(name, None)

    def _serve(self):
        while True:
            name = self.bell.wait()
            self.leave(name, quiet=True)
            self.sell(name)
            self.lose(name)
