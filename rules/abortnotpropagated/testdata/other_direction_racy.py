"""A session has a state for each direction, and a poller for each.

Racy: abort() ends the sending side only; whoever polls the receiving side waits until its time
is over.
"""

import threading
import time

OPEN, CLOSED, BROKEN = range(3)


class Duplex:
    def __init__(self, frames):
        self.frames = frames
        self.lock = threading.Lock()
        self.sending = {}
        self.receiving = {}
        self.ends = {}
        threading.Thread(target=self._pump, daemon=True).start()

    def open(self, rank, sid):
        with self.lock:
            self.sending[(rank, sid)] = OPEN
            self.receiving[(rank, sid)] = OPEN
            self.ends[(rank, sid)] = time.monotonic() + 600

    def _pump(self):
        while True:
            frame = self.frames.get()
            key = (frame.rank, frame.sid)
            with self.lock:
                if frame.ack and self.sending.get(key) == OPEN:
                    self.sending[key] = CLOSED
                elif not frame.ack and self.receiving.get(key) == OPEN:
                    self.receiving[key] = CLOSED

    def poll_sending(self, rank, sid):
        key = (rank, sid)
        with self.lock:
            if self.sending.get(key) == OPEN and time.monotonic() > self.ends.get(key, 0.0):
                self.sending[key] = BROKEN
            return self.sending.get(key, BROKEN)

    def poll_receiving(self, rank, sid):
        key = (rank, sid)
        with self.lock:
            if self.receiving.get(key) == OPEN and time.monotonic() > self.ends.get(key, 0.0):
                self.receiving[key] = BROKEN
            return self.receiving.get(key, BROKEN)

    def abort(self, rank, sid):  # want "abort|receiving"
        key = (rank, sid)
        with self.lock:
            if self.sending.get(key) == OPEN:
                self.sending[key] = BROKEN

    def clear(self, rank, sid):
        with self.lock:
            self.sending.pop((rank, sid), None)
            self.receiving.pop((rank, sid), None)
            self.ends.pop((rank, sid), None)
