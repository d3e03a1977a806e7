"""A missing state reads as "open", and close() removes states.

Right: the queue that polls calls close() only for a request that has ended, in the step that
takes it off its list.
"""

import threading
import time


class Wire:
    def __init__(self, feed):
        self.feed = feed
        self.lock = threading.Lock()
        self.wanted = set()
        self.states = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            note = self.feed.get()
            with self.lock:
                if note.rid in self.wanted and note.rid not in self.states:
                    self.states[note.rid] = "good" if note.good else "bad"

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, "open")

    def want(self, rid):
        with self.lock:
            self.wanted.add(rid)

    def close(self, rid):
        with self.lock:
            self.wanted.discard(rid)
            self.states.pop(rid, None)


class Waiters:
    def __init__(self, wire: Wire, answer):
        self.wire = wire
        self.answer = answer
        self.line = []

    def add(self, rid):
        self.wire.want(rid)
        self.line.append((rid, time.monotonic() + 30))

    def step(self):
        kept = []
        for rid, end in self.line:
            state = self.wire.state(rid)
            if state == "open" and time.monotonic() < end:
                kept.append((rid, end))
                continue
            self.wire.close(rid)
            self.answer(rid, "late" if state == "open" else state)
        self.line = kept
