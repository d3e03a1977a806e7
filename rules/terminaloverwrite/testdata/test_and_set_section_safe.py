"""A worker moves its job on after each part, and leaves off when the job has ended.

Right: test and store share a critical section with every other writer of the state.
"""

import queue
import threading
from concurrent.futures import ThreadPoolExecutor


class Carrier:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.loads = queue.Queue()
        self.states = {}
        self.pool = ThreadPoolExecutor(2)
        self.pool.submit(self._carry)
        self.pool.submit(self._carry)

    def add(self, rank, rid, parts):
        with self.lock:
            self.states[(rank, rid)] = "waiting"
        self.loads.put(((rank, rid), parts))

    def _advance(self, key, state):
        with self.lock:
            if self.states.get(key) not in ("waiting", "moving"):
                return False
            self.states[key] = state
            return True

    def _carry(self):
        while True:
            load = self.loads.get()
            key, state = load[0], "carried"
            try:
                for part in load[1]:
                    if not self._advance(key, "moving"):
                        break
                    self.wire.send(part, timeout=5)
            except Exception:
                state = "failed"
            self._advance(key, state)

    def abort(self, rank, rid):
        self._advance((rank, rid), "failed")

    def state(self, rank, rid):
        with self.lock:
            return self.states.get((rank, rid), "failed")

    def forget(self, rank, rid):
        with self.lock:
            self.states.pop((rank, rid), None)
