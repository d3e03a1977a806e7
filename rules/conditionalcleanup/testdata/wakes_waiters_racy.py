"""Whoever waits for the state of a request is woken where it is stored.

Racy: a cancel that comes before the first state ends nothing. Who waits from then on has to be
woken for it as well.
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
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
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
                        self.changed.notify_all()

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
