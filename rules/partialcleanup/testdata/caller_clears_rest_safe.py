"""One hook forgets the session, and whoever calls it forgets the rest.

Right: drop() leaves the buffers, but both of its callers forget them.
"""


class Store:
    def __init__(self):
        self.sessions = {}
        self.buffers = {}

    def open(self, rid, session):
        self.sessions[rid] = session
        self.buffers[rid] = bytearray(64)

    def _drop(self, rid):
        self.sessions.pop(rid, None)

    def finish(self, rid):
        if rid in self.sessions:
            self._drop(rid)
            self.buffers.pop(rid, None)

    def cancel(self, rid):
        self._drop(rid)
        self.buffers.pop(rid, None)
