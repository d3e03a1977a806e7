"""A cancel takes an offer out, and returns early, as a stray one, when there is no state.

Racy: the cancel of an offer that has no state yet is no stray one, and ends nothing.
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
        self.strays = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.inbox.get()
            rid = message.rid
            if message.kind == "cancel":
                self._cancel(rid)

    def _cancel(self, rid):
        with self.lock:
            self.offers.pop(rid, None)  # want "offers"
            state = self.states.get(rid)
            if state is None:
                self.strays += 1
                return
            self.states[rid] = State.FAILED

    def offer(self, rid):
        with self.lock:
            self.offers[rid] = time.monotonic() + 30

    def begin(self, rid):
        with self.lock:
            self.states[rid] = State.PENDING

    def served(self, rid):
        with self.lock:
            if self.states.get(rid) == State.PENDING:
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
