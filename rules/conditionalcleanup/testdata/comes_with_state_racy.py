"""A cancel fails a request and closes the line that has come with its state.

Racy: a cancel that comes before the state is lost with the offer. There is no line then, so
that closing it cannot be done for such a request; the offer stays, which has a deadline.
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
        self.lines = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.inbox.get()
            rid = message.rid
            with self.lock:
                if message.kind == "cancel":
                    self.offers.pop(rid, None)  # want "offers"
                    if rid in self.states:
                        self._settle(rid)

    def _settle(self, rid):
        line = self.lines.pop(rid, None)
        self.states[rid] = State.FAILED
        line.close()

    def offer(self, rid):
        with self.lock:
            self.offers[rid] = time.monotonic() + 30

    def begin(self, rid, line):
        with self.lock:
            self.lines[rid] = line
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
            self.lines.pop(rid, None)
