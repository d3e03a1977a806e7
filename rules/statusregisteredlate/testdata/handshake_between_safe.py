"""open() gives the session its status, publishes it, and then shakes hands with the peer.

Right: a peer that hangs up during the handshake finds the status.
"""

import threading
import time

TALKING, OVER = "talking", "over"


class Phone(threading.Thread):
    def __init__(self, line):
        super().__init__(daemon=True)
        self.line = line
        self.lock = threading.Lock()
        self.sessions = {}
        self.status = {}
        self.limits = {}
        self.start()

    def open(self, sid, peer):
        with self.lock:
            self.status[sid] = TALKING
            self.limits[sid] = time.monotonic() + 3600
            self.sessions[sid] = peer
        self.line.greet(peer, sid)

    def run(self):
        while True:
            call = self.line.next()
            with self.lock:
                if (status := self.status.get(call.sid)) is not None and status == TALKING:
                    self.status[call.sid] = OVER
                    self.sessions.pop(call.sid, None)

    def poll(self, sid):
        with self.lock:
            if time.monotonic() > self.limits.get(sid, 0.0) and sid in self.status:
                self.status[sid] = OVER
            return self.status.get(sid, OVER)

    def close(self, sid):
        with self.lock:
            self.sessions.pop(sid, None)
            self.status.pop(sid, None)
            self.limits.pop(sid, None)
