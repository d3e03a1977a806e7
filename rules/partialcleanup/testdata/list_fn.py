"""A queue of requests and what belongs to them.

Missed: the list keeps a request whose state is gone. Lists have no key.
"""


class Line:
    def __init__(self):
        self.states = {}
        self.order = []

    def add(self, rid):
        self.states[rid] = "open"
        self.order.append(rid)

    def finish(self, rid):
        if rid in self.states:
            self.order.remove(rid)
            self.states.pop(rid)

    def abort(self, rid):
        self.states.pop(rid, None)
