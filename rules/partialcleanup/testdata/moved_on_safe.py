"""Requests move from the waiting ones to the running ones.

Right: a request that leaves the waiting ones is not at its end; finish() forgets what it has.
"""


class Line:
    def __init__(self):
        self.waiting = {}
        self.running = {}
        self.hints = {}

    def add(self, rid, hint):
        self.waiting[rid] = hint
        self.hints[rid] = hint

    def start(self, rid):
        self.running[rid] = self.waiting.pop(rid)

    def finish(self, rid):
        if rid in self.waiting:
            del self.waiting[rid]
            self.hints.pop(rid, None)
            return
        del self.running[rid]
        self.hints.pop(rid, None)
