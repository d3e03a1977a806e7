"""A listener asserts that each message begins with its guard.

Racy: a peer of a newer version sends another kind of message, and the listener is gone.
"""

import logging
import threading

logger = logging.getLogger(__name__)

GUARD = b"kv1"


class Manager:
    def __init__(self, sock):
        self.sock = sock
        self.offers = {}
        self._start()

    def _start(self):
        def listen():
            while True:
                parts = self.sock.recv_multipart()
                assert parts[0] == GUARD, parts[0]  # want "an item can fail this assert"
                self.offers[parts[1]] = parts[2]

        threading.Thread(target=listen, daemon=True).start()

    def take(self, rid):
        return self.offers.pop(rid, None)
