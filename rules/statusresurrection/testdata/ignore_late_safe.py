"""A listener that drops each event whose request has no state any more.

Right: state, addresses and event handling share one lock, so a late event cannot bring anything
back.
"""

import threading
import time
from collections import defaultdict

WAITING, READY, FAILED = "waiting", "ready", "failed"


class Receiver:
    def __init__(self, events):
        self.events = events
        self.lock = threading.RLock()
        self.states = {}
        self.ends = {}
        self.addresses = defaultdict(list)
        threading.Thread(target=self._listen, daemon=True).start()

    def expect(self, rid):
        with self.lock:
            self.states[rid] = WAITING
            self.ends[rid] = time.monotonic() + 30

    def _listen(self):
        while True:
            event = self.events.get()
            with self.lock:
                state = self.states.get(event.rid)
                if state is None or state == FAILED:
                    continue
                self.addresses[event.rid].append(event.address)
                if len(self.addresses[event.rid]) > 1:
                    self.states[event.rid] = READY

    def state(self, rid):
        with self.lock:
            if self.states.get(rid) == WAITING and time.monotonic() > self.ends.get(rid, 0.0):
                self.states[rid] = FAILED
            return self.states.get(rid, FAILED)

    def forget(self, rid):
        with self.lock:
            self.states.pop(rid, None)
            self.ends.pop(rid, None)
            self.addresses.pop(rid, None)
