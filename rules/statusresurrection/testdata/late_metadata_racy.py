"""A listener keeps the addresses that peers announce for a request.

Racy: setdefault makes the entry of a request that clear() has removed, and a request is cleared
once.
"""

import threading
import time


class State:
    WAITING = 1
    READY = 2
    FAILED = 3


class Bureau:
    def __init__(self, socket):
        self.socket = socket
        self.lock = threading.Lock()
        self.states = {}
        self.peers = {}
        self._spawn()

    def _spawn(self):
        def listen():
            while True:
                message = self.socket.receive()
                with self.lock:
                    peers = self.peers.setdefault(message.rid, {})  # want "peers"
                    peers[message.rank] = message.address
                    if len(peers) == 2 and self.states.get(message.rid) == State.WAITING:
                        self.states[message.rid] = State.READY

        threading.Thread(target=listen, daemon=True).start()


class Request:
    def __init__(self, bureau: Bureau, rid):
        self.bureau = bureau
        self.rid = rid
        self.expires = time.monotonic() + 30
        with bureau.lock:
            bureau.states[rid] = State.WAITING
            bureau.peers[rid] = {}

    def poll(self):
        with self.bureau.lock:
            state = self.bureau.states.get(self.rid, State.FAILED)
            if state == State.WAITING and time.monotonic() > self.expires:
                self.bureau.states[self.rid] = state = State.FAILED
            return state

    def clear(self):
        with self.bureau.lock:
            self.bureau.states.pop(self.rid, None)
            self.bureau.peers.pop(self.rid, None)
