"""open() publishes a session, shakes hands with the peer, and then gives the session its status.

Racy: the peer can hang up during the handshake. The reader knows no status of the session and
drops the message.
"""

import threading

TALKING, OVER = "talking", "over"


class Phone(threading.Thread):
    def __init__(self, line):
        super().__init__(daemon=True)
        self.line = line
        self.lock = threading.Lock()
        self.sessions = {}
        self.status = {}
        self.start()

    def open(self, sid, peer):
        with self.lock:
            self.sessions[sid] = peer  # want "sessions"
        self.line.greet(peer, sid)
        with self.lock:
            self.status[sid] = TALKING

    def run(self):
        while True:
            call = self.line.next()
            with self.lock:
                if (status := self.status.get(call.sid)) is not None and status == TALKING:
                    self.status[call.sid] = OVER
                    self.sessions.pop(call.sid, None)

    def poll(self, sid):
        with self.lock:
            return self.status.get(sid, OVER)

    def close(self, sid):
        with self.lock:
            self.sessions.pop(sid, None)
            self.status.pop(sid, None)
