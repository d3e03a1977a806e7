"""A listener tests for the phase of a stream and then asks a getter that fails without one.

Racy: forget() deletes the phase on the caller's thread between the two. The listener dies of the
KeyError, in a helper that looks harmless on its own.
"""

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
            if sid not in self.phases or self.phase(sid) == Phase.DONE:  # want "phases.* is tested, then read"
                continue
            self.phases[sid] = Phase.LOST

    def open(self, sid):
        self.phases[sid] = Phase.OPEN

    def finish(self, sid):
        self.phases[sid] = Phase.DONE

    def forget(self, sid):
        del self.phases[sid]
