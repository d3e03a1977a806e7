"""A router lets others say with which state an offer begins, DONE among them.

Racy: a cancel that comes before the state is lost with the offer. The state that is given must
not yield to what is there, since nobody else stores it.
"""

import queue
import threading
import time


class State:
    PENDING = 1
    DONE = 2
    FAILED = 3


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

    def move(self, rid, state):
        with self.lock:
            self.states[rid] = state

    def begin(self, rid):
        self.move(rid, State.PENDING)

    def served(self, rid):
        self.move(rid, State.DONE)

    def poll(self, rid):
        with self.lock:
            state = self.states.get(rid, State.PENDING)
            end = self.offers.get(rid)
            if state == State.PENDING and end is not None and time.monotonic() > end:
                self.states[rid] = state = State.FAILED
            return state

    def clear(self, rid):
        with self.lock:
            self.offers.pop(rid, None)
            self.states.pop(rid, None)
