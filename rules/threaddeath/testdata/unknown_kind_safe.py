"""The last case of the dispatch logs; asserts concern only what the thread was started with."""

import logging
import threading

logger = logging.getLogger(__name__)


class Listener(threading.Thread):
    def __init__(self, conn, strict):
        super().__init__(daemon=True)
        self.conn = conn
        self.strict = strict
        self.members = set()

    def run(self):
        while True:
            assert self.strict is not None
            kind, rid = self.conn.recv()
            self._dispatch(kind, rid)

    def _dispatch(self, kind, rid):
        match kind:
            case "join":
                self.members.add(rid)
            case "leave":
                self.members.discard(rid)
            case _:
                logger.warning("unknown message %s", kind)

    def strength(self):
        return len(self.members)
