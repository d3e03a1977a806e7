"""A cancel returns early for a request without a state.

Right: states are there first and go last, so such a request is over; nothing was removed before
the return.
"""

import threading
import time


class State:
    ACTIVE = "active"
    ENDED = "ended"
    CANCELLED = "cancelled"


class Broker(threading.Thread):
    def __init__(self, inbox):
        super().__init__(daemon=True)
        self.inbox = inbox
        self.lock = threading.Lock()
        self.states = {}
        self.slots = {}
        self.start()

    def add(self, rid, slot):
        with self.lock:
            self.states[rid] = State.ACTIVE
            self.slots[rid] = (slot, time.monotonic() + 30)

    def run(self):
        while True:
            message = self.inbox.get()
            with self.lock:
                self._handle(message.rid, message.cancel)

    def _handle(self, rid, cancel):
        if self.states.get(rid) != State.ACTIVE:
            return
        self.slots.pop(rid, None)
        self.states[rid] = State.CANCELLED if cancel else State.ENDED

    def state(self, rid):
        with self.lock:
            slot = self.slots.get(rid)
            if slot is not None and time.monotonic() > slot[1]:
                self._handle(rid, True)
            return self.states.get(rid, State.CANCELLED)

    def remove(self, rid):
        with self.lock:
            self.slots.pop(rid, None)
            self.states.pop(rid, None)
