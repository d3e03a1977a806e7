"""A registry of sessions that ends those that are over, with what they have opened.

Racy: the sweep walks over the dictionary from which it removes them. A copy alone does not
help: the sweep would come to the children that it has removed with their parent, and remove
them once more.
"""


class Registry:
    def __init__(self, log):
        self.log = log
        self.sessions = {}

    def open(self, sid, session):
        self.sessions[sid] = session

    def sweep(self):
        for sid, session in self.sessions.items():  # want "the loop over self.sessions.items.. changes it"
            if session.over():
                self.end(sid)

    def end(self, sid):
        session = self.sessions.pop(sid)
        for child in session.children():
            self.log(child, self.sessions.pop(child))
        self.log(sid, session)
