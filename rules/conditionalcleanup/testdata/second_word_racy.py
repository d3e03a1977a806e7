"""A request has a first state when it begins, and a second one when room is reserved for it.

Racy: a cancel that comes before the first state is lost with the offer. The second state must
not yield to the first one, only to the last.
"""

import queue
import threading
import time


class State:
    PENDING = 1
    READY = 2
    DONE = 3
    FAILED = 4


class Router:
    def __init__(self):
        self.inbox = queue.Queue()
        self.lock = threading.Lock()
        self.offers = {}
        self.states = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.inbox.get()
            rid = message.rid
            with self.lock:
                if message.kind == "cancel":
                    self.offers.pop(rid, None)  # want "offers"
                    if rid in self.states:
                        self.states[rid] = State.FAILED

    def offer(self, rid):
        with self.lock:
            self.offers[rid] = time.monotonic() + 30

    def begin(self, rid):
        with self.lock:
            self.states[rid] = State.PENDING

    def reserved(self, rid):
        with self.lock:
            self.states[rid] = State.READY

    def served(self, rid):
        with self.lock:
            if self.states.get(rid) == State.READY:
                self.states[rid] = State.DONE

    def poll(self, rid):
        with self.lock:
            state = self.states.get(rid, State.FAILED)
            end = self.offers.get(rid)
            if state in (State.PENDING, State.READY) and end is not None and time.monotonic() > end:
                self.states[rid] = state = State.FAILED
            return state

    def clear(self, rid):
        with self.lock:
            self.offers.pop(rid, None)
            self.states.pop(rid, None)
