"""Handles of requests answer how far they are, and forget them at the end.

Racy: drop() forgets a request that may still wait, and poll() goes on as if it did.
"""

import threading
import time


class State:
    FAILED = 0
    WAITING = 1
    SENT = 2


class Office:
    def __init__(self, post):
        self.post = post
        self.states = {}
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            rid = self.post.receive()
            if rid in self.states:
                self.states[rid] = State.SENT

    def state(self, rid):
        return self.states.get(rid, State.WAITING)  # want "a missing states.* reads as"


class Handle:
    def __init__(self, office: Office, rid):
        self.office = office
        self.rid = rid
        self.failed = False
        office.states[rid] = State.WAITING

    def poll(self):
        if self.failed:
            return State.FAILED
        return self.office.state(self.rid)

    def drop(self):
        self.office.states.pop(self.rid, None)

    def failure(self):
        self.failed = True
        raise RuntimeError(self.rid)
