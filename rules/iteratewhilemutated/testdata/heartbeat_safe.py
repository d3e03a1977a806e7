"""The heartbeat walks over a snapshot, which is taken in one step."""

import threading
import time


class Peers:
    def __init__(self):
        self.peers = {}
        threading.Thread(target=self._beat, daemon=True).start()

    def _beat(self):
        while True:
            time.sleep(1)
            for name, peer in list(self.peers.items()):
                peer.ping(name)

    def connect(self, name, peer):
        self.peers[name] = peer

    def leave(self, name):
        self.peers.pop(name, None)
