"""A sweeper removes what requests have left.

Right: the sweeper goes through the parts themselves and drops those of unknown requests.
"""

import threading
import time


class State:
    OPEN = 0
    DONE = 1
    FAILED = 2


class Pool:
    def __init__(self):
        self.states = {}
        self.parts = {}
        threading.Thread(target=self._sweep, daemon=True).start()

    def _sweep(self):
        while True:
            time.sleep(5)
            for rid in list(self.parts):
                if rid not in self.states:
                    self.parts.pop(rid, None)


class Request:
    def __init__(self, pool: Pool, rid):
        self.pool = pool
        self.rid = rid
        pool.states[rid] = State.OPEN
        pool.parts[rid] = []

    def poll(self):
        return self.pool.states.get(self.rid, State.FAILED)

    def done(self):
        self.pool.states[self.rid] = State.DONE

    def abort(self):
        self.pool.states[self.rid] = State.FAILED

    def clear(self):
        self.pool.states.pop(self.rid, None)
