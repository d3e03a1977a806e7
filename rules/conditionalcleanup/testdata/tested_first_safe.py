"""A cancel deletes the offer of a request where there is one.

Right: it fails the request first, before its first state as well.
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
                    if rid in self.states or rid in self.offers:
                        self.states[rid] = State.FAILED
                    if rid in self.offers:
                        del self.offers[rid]

    def offer(self, rid):
        with self.lock:
            self.offers[rid] = time.monotonic() + 30

    def begin(self, rid):
        with self.lock:
            self.states.setdefault(rid, State.PENDING)

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
