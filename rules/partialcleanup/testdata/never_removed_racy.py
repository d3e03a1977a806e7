"""A listener notes the ranks that have answered for a request.

Leaks: clear() forgets the state and the peers of the request, nothing forgets its ranks.
"""

import threading


class State:
    WAITING = 1
    READY = 2
    FAILED = 3


class Ledger:
    def __init__(self, socket):
        self.socket = socket
        self.states = {}
        self.peers = {}
        self.ranks = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.socket.receive()
            if message.rid not in self.states:
                continue
            self.peers[message.rid] = message.address
            self.ranks[message.rid] = message.rank  # want "ranks.* never removed"
            self.states[message.rid] = State.READY


class Handle:
    def __init__(self, ledger: Ledger, rid):
        self.ledger = ledger
        self.rid = rid
        ledger.states[rid] = State.WAITING

    def poll(self):
        return self.ledger.states.get(self.rid, State.FAILED)

    def abort(self):
        self.ledger.states[self.rid] = State.FAILED

    def clear(self):
        self.ledger.peers.pop(self.rid, None)
        self.ledger.states.pop(self.rid, None)
