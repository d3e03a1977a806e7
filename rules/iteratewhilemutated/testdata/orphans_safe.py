"""A registry of sessions that ends those that are over, with what they have opened.

Right: the sweep walks over a copy, and leaves out what has gone with its parent.
"""


class Registry:
    def __init__(self, log):
        self.log = log
        self.sessions = {}

    def open(self, sid, session):
        self.sessions[sid] = session

    def sweep(self):
        for sid, session in list(self.sessions.items()):
            if sid in self.sessions and session.over():
                self.end(sid)

    def end(self, sid):
        session = self.sessions.pop(sid)
        for child in session.children():
            self.log(child, self.sessions.pop(child))
        self.log(sid, session)
