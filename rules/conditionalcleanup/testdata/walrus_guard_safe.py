"""A thread of its own takes revocations; strings tell how far a stream is.

Right: the stream stays armed while nobody has joined, and its deadline ends it.
"""

import threading
import time


class Registry(threading.Thread):
    def __init__(self, source):
        super().__init__(daemon=True)
        self.source = source
        self.cond = threading.Condition()
        self.opened = {}
        self.armed = set()
        self.shares = {}
        self.mode = {}
        self.start()

    def add(self, stream):
        with self.cond:
            self.mode[stream] = "active"
            self.opened[stream] = time.monotonic()
            self.armed.add(stream)

    def run(self):
        while True:
            note = self.source.get()
            stream = note.stream
            with self.cond:
                if note.what == "join" and stream in self.mode:
                    self.shares[stream] = note.peer
                elif note.what == "revoke":
                    if (peer := self.shares.get(stream)) is not None:
                        self.armed.discard(stream)
                        self._end(stream, "revoked by %s" % peer, "broken")
                elif note.what == "eof":
                    self._end(stream, "complete", "closed")

    def _end(self, stream, why, mode):
        if self.mode.get(stream) == "active":
            self.mode[stream] = mode

    def state(self, stream):
        with self.cond:
            if self.mode.get(stream, "broken") != "active":
                return self.mode.get(stream, "broken")
            if stream in self.armed and time.monotonic() - self.opened.get(stream, 0.0) > 20:
                self.mode[stream] = "broken"
            return self.mode.get(stream, "broken")

    def forget(self, stream):
        with self.cond:
            self.armed.discard(stream)
            self.opened.pop(stream, None)
            self.shares.pop(stream, None)
            self.mode.pop(stream, None)
