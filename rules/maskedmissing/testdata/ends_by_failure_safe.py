"""Handles of requests answer how far they are, and forget them at the end.

Right: clear() is what comes last. Where a failure is told it runs behind the flag that
poll() answers with first, and its owner calls it when poll() has said that all is sent.
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
        self.lock = threading.Lock()
        self.states = {}
        self.since = {}
        threading.Thread(target=self._run, daemon=True).start()
        threading.Thread(target=self._sweep, daemon=True).start()

    def _run(self):
        while True:
            rid = self.post.receive()
            with self.lock:
                if self.states.get(rid) == State.WAITING:
                    self.states[rid] = State.SENT

    def _sweep(self):
        while True:
            time.sleep(1)
            now = time.monotonic()
            with self.lock:
                for rid, since in list(self.since.items()):
                    if now - since > 30 and self.states.get(rid) == State.WAITING:
                        self.states[rid] = State.FAILED

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, State.WAITING)


class Handle:
    def __init__(self, office: Office, rid):
        self.office = office
        self.rid = rid
        self.failed = False
        with office.lock:
            office.states[rid] = State.WAITING
            office.since[rid] = time.monotonic()

    def poll(self):
        if self.failed:
            return State.FAILED
        return self.office.state(self.rid)

    def clear(self):
        with self.office.lock:
            self.office.states.pop(self.rid, None)
            self.office.since.pop(self.rid, None)

    def failure(self):
        self.failed = True
        self.clear()
        raise RuntimeError(self.rid)


def close(order):
    order.handle.clear()
