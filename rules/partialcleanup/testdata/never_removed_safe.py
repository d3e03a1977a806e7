"""A listener notes the ranks that have answered for a request.

Right: clear() forgets the ranks as well.
"""

import threading
import time


class State:
    WAITING = 1
    READY = 2
    FAILED = 3


class Ledger:
    def __init__(self, socket):
        self.socket = socket
        self.lock = threading.Lock()
        self.states = {}
        self.peers = {}
        self.ranks = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.socket.receive()
            with self.lock:
                if self.states.get(message.rid) != State.WAITING:
                    continue
                self.peers[message.rid] = message.address
                self.ranks[message.rid] = message.rank
                self.states[message.rid] = State.READY


class Handle:
    def __init__(self, ledger: Ledger, rid):
        self.ledger = ledger
        self.rid = rid
        self.deadline = time.monotonic() + 30
        ledger.states[rid] = State.WAITING

    def poll(self):
        with self.ledger.lock:
            state = self.ledger.states.get(self.rid, State.FAILED)
            if state == State.WAITING and time.monotonic() > self.deadline:
                self.ledger.states[self.rid] = state = State.FAILED
            return state

    def abort(self):
        with self.ledger.lock:
            self.ledger.states[self.rid] = State.FAILED

    def clear(self):
        with self.ledger.lock:
            self.ledger.peers.pop(self.rid, None)
            self.ledger.ranks.pop(self.rid, None)
            self.ledger.states.pop(self.rid, None)
