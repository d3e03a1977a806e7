"""Peers are kept in a table with a lock of its own, which every method takes by a helper.

Safe: so does the one that drops a peer for good.
"""

import contextlib
import threading


class Peers:
    def __init__(self, link):
        self.link = link
        self._lock = threading.Lock()
        self._peers = {}
        self._watch = threading.Thread(target=self.watch)
        self._watch.start()

    @contextlib.contextmanager
    def locked(self):
        with self._lock:
            yield self._peers

    def watch(self):
        while True:
            name = self.link.next_seen()
            with self.locked() as peers:
                if name in self._peers:
                    self._peers[name] = self._peers[name] + 1

    def join(self, name):
        with self._lock:
            self._peers[name] = 0

    def seen(self, name):
        with self._lock:
            return self._peers.get(name)

    def drop(self, name):
        with self._lock:
            del self._peers[name]
