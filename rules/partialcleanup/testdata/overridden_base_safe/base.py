"""A base whose clear() knows of the states only; each backend has its own."""


class Backend:
    def __init__(self):
        self.states = {}
        self.shares = {}

    def add(self, rid, share):
        self.states[rid] = "open"
        self.shares[rid] = share

    def clear(self, rid):
        self.states.pop(rid, None)
