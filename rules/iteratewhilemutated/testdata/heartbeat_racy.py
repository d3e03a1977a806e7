"""A heartbeat walks over the peers while receivers of the caller's thread register new ones."""

import threading
import time


class Peers:
    def __init__(self):
        self.peers = {}
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self):
        while True:
            time.sleep(1)
            for name, peer in self.peers.items():  # want "self.peers.items.. can change .*connect inserts"
                peer.ping(name)

    def connect(self, name, peer):
        self.peers[name] = peer

    def leave(self, name):
        self.peers.pop(name, None)
