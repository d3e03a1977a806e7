"""The listener looks the phase up once. Only the caller's thread uses the strict getter, and removes."""

import enum
import threading


class Phase(enum.IntEnum):
    LOST = 0
    OPEN = 1
    DONE = 2


class Streams:
    def __init__(self, sock):
        self.sock = sock
        self.phases = {}
        self.thread = threading.Thread(target=self._listen)
        self.thread.start()

    def phase(self, sid):
        return self.phases[sid]

    def _listen(self):
        while True:
            sid = int(self.sock.recv())
            now = self.phases.get(sid)
            if now is None or now == Phase.DONE:
                continue
            self.phases[sid] = Phase.LOST

    def open(self, sid):
        self.phases[sid] = Phase.OPEN

    def finish(self, sid):
        if sid in self.phases and self.phase(sid) == Phase.OPEN:
            self.phases[sid] = Phase.DONE

    def forget(self, sid):
        if sid in self.phases:
            del self.phases[sid]
