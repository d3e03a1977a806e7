"""Statements that give back what others have taken, which may raise."""

import contextlib


class Bench:
    def __init__(self, tools):
        self.tools = tools
        self.used = {}

    def plain(self, name):
        self.tools.take(name)
        self.tools.turn(name)  # from
        # Now it is done.
        self.tools.give(name)  # last
        return name

    def nested(self, name, twice):
        self.tools.take(name)
        if twice:
            self.tools.turn(name)  # from
        self.tools.turn(name)
        with self.tools.lock:
            self.tools.give(name)  # last

    def leaves(self, name):
        if not self.tools.turn(name):  # from
            return None
        self.tools.give(name)  # last
        return name

    def needs_result(self, name):
        done = self.tools.turn(name)  # from
        self.tools.give(done)  # last

    def leaves_at_the_end(self, name):
        self.tools.turn(name)  # from
        if self.tools.give(name):  # last
            return name
        return None

    def in_loop(self, names):
        for name in names:
            self.tools.turn(name)  # from
            self.tools.give(name)  # last

    def one_line(self, name):
        self.tools.turn(name); self.tools.give(name)  # from

    def wrong_order(self, name):
        self.tools.give(name)  # last
        self.tools.turn(name)  # from
