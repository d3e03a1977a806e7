"""A request gets its state when it is opened; a cancel fails what has a state.

Right: whatever is announced or cancelled comes after that.
"""

import threading
import time


class State:
    WAITING = 1
    READY = 2
    FAILED = 3


class Lobby:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.peers = {}
        self.states = {}
        self.ends = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def open(self, rid):
        with self.lock:
            self.states[rid] = State.WAITING
            self.ends[rid] = time.monotonic() + 30
            self.peers[rid] = set()

    def _listen(self):
        while True:
            message = self.inbox.get()
            rid = message.rid
            with self.lock:
                if message.kind == "announce" and rid in self.peers:
                    self.peers[rid].add(message.rank)
                elif message.kind == "data":
                    enough = len(self.peers.get(rid, ())) == 2
                    if enough and self.states.get(rid) == State.WAITING:
                        self.states[rid] = State.READY
                elif message.kind == "cancel":
                    if self.states.get(rid) == State.WAITING:
                        self.states[rid] = State.FAILED
                        self.peers.pop(rid, None)

    def state(self, rid):
        with self.lock:
            late = time.monotonic() > self.ends.get(rid, 0.0)
            if late and self.states.get(rid) == State.WAITING:
                self.states[rid] = State.FAILED
            return self.states.get(rid, State.FAILED)

    def clear(self, rid):
        with self.lock:
            self.peers.pop(rid, None)
            self.states.pop(rid, None)
            self.ends.pop(rid, None)
