"""abort() takes a request off the books; poll() asks the books with a default.

Right: the default is FAILED. A request is on the books from the beginning, so one that is
missing was taken off.
"""

import threading
import time


class State:
    PENDING = 1
    DONE = 2
    FAILED = 3


class Books:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.states = {}
        self.ends = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def enter(self, rid):
        with self.lock:
            self.states[rid] = State.PENDING
            self.ends[rid] = time.monotonic() + 30

    def _listen(self):
        while True:
            rid = self.inbox.get()
            with self.lock:
                if self.states.get(rid) == State.PENDING:
                    self.states[rid] = State.DONE

    def poll(self, rid):
        with self.lock:
            state = self.states.get(rid, State.FAILED)
            end = self.ends.get(rid)
            if state == State.PENDING and end is not None and time.monotonic() > end:
                self.states[rid] = state = State.FAILED
            return state

    def abort(self, rid):
        self.clear(rid)

    def clear(self, rid):
        with self.lock:
            self.states.pop(rid, None)
            self.ends.pop(rid, None)
