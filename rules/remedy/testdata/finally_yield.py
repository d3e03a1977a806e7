"""Generators that manage a with statement."""

import contextlib


class Gate:
    def __init__(self, lamp):
        self.lamp = lamp
        self.inside = {}

    @contextlib.contextmanager
    def plain(self, name):
        self.lamp.on(name)
        yield
        # Nobody is inside any more.
        self.lamp.off(name)  # last

    @contextlib.contextmanager
    def several(self, name):
        self.lamp.on(name)
        yield name
        with self.lamp.lock:
            self.lamp.off(name)  # last
        self.lamp.tell(name)

    @contextlib.contextmanager
    def two_yields(self, name):
        if name:
            yield name
        yield None
        self.lamp.off(name)  # last

    @contextlib.contextmanager
    def with_value(self, name):
        reader = yield name
        self.lamp.off(reader)  # last

    @contextlib.contextmanager
    def elsewhere(self, name):
        if name:
            yield name
        self.lamp.off(name)  # last
