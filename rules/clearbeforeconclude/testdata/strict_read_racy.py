"""The listener thread fails a handle whose peer has left; the scheduler polls it.

Racy: fail() takes the entry away before it sets the outcome. A poll in between passes the test
of the outcome and then reads an entry that is gone: KeyError.
"""

import threading
import time


class State:
    PENDING = 1
    DONE = 2
    FAILED = 3


class Hub:
    def __init__(self, events):
        self.events = events
        self.lock = threading.Lock()
        self.states = {}
        self.handles = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            event = self.events.get()
            with self.lock:
                if event.done and self.states.get(event.rid) == State.PENDING:
                    self.states[event.rid] = State.DONE
                    self.handles.pop(event.rid, None)
                handle = self.handles.get(event.rid)
            if handle is not None:
                handle.fail()

    def forget(self, rid):
        with self.lock:
            self.states.pop(rid, None)
            self.handles.pop(rid, None)


class Handle:
    def __init__(self, hub: Hub, rid):
        self.hub = hub
        self.rid = rid
        self.outcome = None
        self.end = time.monotonic() + 30
        with hub.lock:
            hub.states[rid] = State.PENDING
            hub.handles[rid] = self

    def poll(self):
        if self.outcome is not None:
            return self.outcome
        with self.hub.lock:
            state = self.hub.states[self.rid]
        if state == State.PENDING and time.monotonic() > self.end:
            self.outcome = state = State.FAILED
        return state

    def fail(self):
        self.hub.forget(self.rid)  # want "states|forget"
        self.outcome = State.FAILED

    def clear(self):
        self.hub.forget(self.rid)
