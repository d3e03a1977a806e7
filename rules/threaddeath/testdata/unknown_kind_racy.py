"""The last case of a dispatch raises; the thread is a subclass of Thread."""

import logging
import threading

logger = logging.getLogger(__name__)


class Listener(threading.Thread):
    def __init__(self, conn):
        super().__init__(daemon=True)
        self.conn = conn
        self.members = set()
        self.running = True

    def run(self):
        while self.running:
            kind, rid = self.conn.recv()
            self._dispatch(kind, rid)

    def _dispatch(self, kind, rid):
        match kind:
            case "join":
                self.members.add(rid)
            case "leave":
                self.members.discard(rid)
            case _:
                raise ValueError(kind)  # want "an item can lead to this ValueError"

    def strength(self):
        return len(self.members)
