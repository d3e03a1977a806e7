"""A peer's cancel drops the offer of a request that has a state.

Right: offer() stores the state together with the offer, so a request that can be cancelled can
be failed.
"""

import queue
import threading
import time


class State:
    PENDING = 1
    DONE = 2
    FAILED = 3


class Offer:
    def __init__(self, targets):
        self.targets = targets
        self.expires = time.monotonic() + 30


class Router:
    def __init__(self):
        self.inbox = queue.Queue()
        self.lock = threading.Lock()
        self.offers = {}
        self.states = {}
        self._start()

    def _start(self):
        def listen():
            while True:
                message = self.inbox.get()
                rid = message.rid
                with self.lock:
                    if message.kind == "cancel":
                        self.offers.pop(rid, None)
                        if rid in self.states:
                            self._settle(rid, State.FAILED)
                    elif message.kind == "done":
                        if rid in self.states:
                            self._settle(rid, State.DONE)

        threading.Thread(target=listen, daemon=True).start()

    def _settle(self, rid, state):
        if self.states[rid] == State.PENDING:
            self.states[rid] = state

    def offer(self, rid, targets):
        with self.lock:
            self.states[rid] = State.PENDING
            self.offers[rid] = Offer(targets)

    def poll(self, rid):
        with self.lock:
            state = self.states.get(rid, State.FAILED)
            offer = self.offers.get(rid)
            if state == State.PENDING and offer is not None and time.monotonic() > offer.expires:
                self.states[rid] = state = State.FAILED
            return state

    def clear(self, rid):
        with self.lock:
            self.offers.pop(rid, None)
            self.states.pop(rid, None)
