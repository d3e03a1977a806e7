"""A cancel takes an offer out, notes whether it was the last one, and fails what has a state.

Racy: the state comes after the offer. The removal cannot move past the look at what is left.
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
        self.idle = True
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.inbox.get()
            rid = message.rid
            with self.lock:
                if message.kind == "cancel":
                    self.offers.pop(rid, None)  # want "offers"
                    if not self.offers:
                        self.idle = True
                    if rid in self.states:
                        self.states[rid] = State.FAILED

    def offer(self, rid):
        with self.lock:
            self.offers[rid] = time.monotonic() + 30

    def begin(self, rid):
        with self.lock:
            self.states[rid] = State.PENDING

    def served(self, rid):
        with self.lock:
            if rid in self.states:
                self.states[rid] = State.DONE

    def poll(self, rid):
        with self.lock:
            state = self.states.get(rid, State.FAILED)
            end = self.offers.get(rid)
            if state == State.PENDING and end is not None and time.monotonic() > end:
                self.states[rid] = state = State.FAILED
            return state

    def clear(self, rid):
        with self.lock:
            self.offers.pop(rid, None)
            self.states.pop(rid, None)
