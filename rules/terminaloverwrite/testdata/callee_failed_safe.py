"""begin() looks up the peers of a request, then says that it waits for them.

Right: begin() leaves off when _resolve() has failed the request.
"""

import threading
import time

FAILED, NEW, WAITING, DONE = range(4)


class Directory:
    def __init__(self, names, acks):
        self.names = names
        self.acks = acks
        self.lock = threading.RLock()
        self.table = {}
        threading.Thread(target=self._acked, daemon=True).start()

    def _acked(self):
        while True:
            key = self.acks.get()
            with self.lock:
                if self.table.get(key) == WAITING:
                    self.table[key] = DONE


class Request:
    def __init__(self, directory: Directory, rank, rid):
        self.directory = directory
        self.key = (rank, rid)
        self.peers = []
        self.end = time.monotonic() + 30
        with directory.lock:
            directory.table[self.key] = NEW

    def _resolve(self, name):
        peer = self.directory.names.find(name)
        if peer is None:
            self.directory.table[self.key] = FAILED
            return
        self.peers.append(peer)

    def begin(self, name):
        with self.directory.lock:
            if self.directory.table.get(self.key) != NEW:
                return
            self._resolve(name)
            if self.directory.table.get(self.key) == NEW:
                self.directory.table[self.key] = WAITING

    def poll(self):
        with self.directory.lock:
            state = self.directory.table.get(self.key, FAILED)
            if state in (NEW, WAITING) and time.monotonic() > self.end:
                self.directory.table[self.key] = state = FAILED
            return state

    def clear(self):
        with self.directory.lock:
            self.directory.table.pop(self.key, None)
