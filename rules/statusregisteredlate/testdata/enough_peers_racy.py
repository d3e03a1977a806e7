"""A request gets its state when enough peers have announced themselves; a cancel fails what has a
state.

Racy: a cancel between the first announcement and the last finds no state, and the last one
makes a waiting request.
"""

import threading


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
        threading.Thread(target=self._listen, daemon=True).start()

    def open(self, rid):
        with self.lock:
            self.peers[rid] = set()  # want "peers"

    def _listen(self):
        while True:
            message = self.inbox.get()
            rid = message.rid
            with self.lock:
                if message.kind == "announce" and rid in self.peers:
                    self.peers[rid].add(message.rank)
                    if len(self.peers[rid]) == 2 and rid not in self.states:
                        self.states[rid] = State.WAITING
                elif message.kind == "data":
                    if self.states.get(rid) == State.WAITING:
                        self.states[rid] = State.READY
                elif message.kind == "cancel":
                    if self.states.get(rid) == State.WAITING:
                        self.states[rid] = State.FAILED
                        self.peers.pop(rid, None)

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, State.WAITING)

    def clear(self, rid):
        with self.lock:
            self.peers.pop(rid, None)
            self.states.pop(rid, None)
