"""Test again under the lock: the first look without it decides nothing for good."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Registry:
    def __init__(self):
        self.changed = threading.Condition()
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.peers = {}

    def connect(self, name, make):
        if name in self.peers:
            return
        with self.changed:
            if name not in self.peers:
                self.peers[name] = make()
            self.changed.notify_all()

    def reconnect(self, name, make):
        def build():
            peer = make()
            with self.changed:
                self.peers[name] = peer
            return peer

        return self.pool.submit(build)

    def lookup(self, name):
        with self.changed:
            return self.peers.get(name)

    def drop(self, name):
        with self.changed:
            self.peers.pop(name, None)
