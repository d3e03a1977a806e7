"""Peers are registered once under a condition; a pool callback stores another one without it."""

import threading
from concurrent.futures import ThreadPoolExecutor


class Registry:
    def __init__(self):
        self.changed = threading.Condition()
        self.pool = ThreadPoolExecutor(max_workers=2)
        self.peers = {}

    def connect(self, name, make):
        with self.changed:
            if name not in self.peers:
                self.peers[name] = make()
            self.changed.notify_all()

    def reconnect(self, name, make):
        def build():
            peer = make()
            self.peers[name] = peer  # want "peers.name. is stored without changed"
            return peer

        return self.pool.submit(build)

    def lookup(self, name):
        with self.changed:
            return self.peers.get(name)

    def drop(self, name):
        with self.changed:
            self.peers.pop(name, None)
