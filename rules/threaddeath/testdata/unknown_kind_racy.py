"""The last case of a dispatch raises; the thread is a subclass of Thread."""

import logging
import threading

logger = logging.getLogger(__name__)


class Listener(threading.Thread):
    def __init__(self, conn):
        super().__init__(daemon=True)
        self.conn = conn
        self.done = set()
        self.lost = set()
        self.running = True

    def run(self):
        while self.running:
            kind, rid = self.conn.recv()
            self._dispatch(kind, rid)

    def _dispatch(self, kind, rid):
        match kind:
            case "done":
                self.done.add(rid)
            case "lost":
                self.lost.add(rid)
            case _:
                raise ValueError(kind)  # want "an item can lead to this ValueError"

    def drain(self):
        done, self.done = self.done, set()
        lost, self.lost = self.lost, set()
        return done, lost
