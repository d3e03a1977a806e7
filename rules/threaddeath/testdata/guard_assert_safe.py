"""The assert stands in the try of its message."""

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
                try:
                    parts = self.sock.recv_multipart()
                    assert parts[0] == GUARD, parts[0]
                    self.offers[parts[1]] = parts[2]
                except Exception:
                    logger.exception("bad message")

        threading.Thread(target=listen, daemon=True).start()

    def take(self, rid):
        return self.offers.pop(rid, None)
