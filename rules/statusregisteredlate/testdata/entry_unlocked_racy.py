"""A board enters a session without its lock, greets the peer, and takes the lock for the status.

Racy: who says bye after the greeting is not known yet. The status has to come first, and keeps
its lock.
"""

import threading
import time

TALKING, OVER = 1, 2


class Board(threading.Thread):
    def __init__(self, line):
        super().__init__(daemon=True)
        self.line = line
        self.lock = threading.Lock()
        self.sessions = {}
        self.status = {}
        self.start()

    def open(self, sid, peer):
        self.sessions[sid] = time.monotonic() + 600  # want "sessions"
        self.line.greet(peer, sid)
        with self.lock:
            self.status[sid] = TALKING

    def run(self):
        while True:
            word, sid = self.line.hear()
            with self.lock:
                if word == "bye" and sid in self.status:
                    self.status[sid] = OVER
                    self.sessions.pop(sid, None)

    def poll(self, sid):
        with self.lock:
            status = self.status.get(sid, OVER)
            end = self.sessions.get(sid)
            if status == TALKING and end is not None and time.monotonic() > end:
                self.status[sid] = status = OVER
            return status

    def clear(self, sid):
        with self.lock:
            self.status.pop(sid, None)
            self.sessions.pop(sid, None)
