"""Two states in which a request can wait: for the handshake, and for the data.

Racy: poll() looks at the clock in the first only. A peer that dies after the handshake is
waited for without end.
"""

import threading
import time

FAILED, HANDSHAKE, DATA, DONE = range(4)


class Line(threading.Thread):
    def __init__(self, frames):
        super().__init__(daemon=True)
        self.frames = frames
        self.lock = threading.Lock()
        self.states = {}
        self.marks = {}
        self.start()

    def dial(self, key):
        with self.lock:
            self.states[key] = HANDSHAKE
            self.marks[key] = time.monotonic()

    def run(self):
        while True:
            frame = self.frames.get()
            with self.lock:
                state = self.states.get(frame.key)
                if frame.hello and state == HANDSHAKE:
                    self.states[frame.key] = DATA
                elif frame.last and state == DATA:
                    self.states[frame.key] = DONE

    def poll(self, key):  # want "poll"
        with self.lock:
            state = self.states.get(key, FAILED)
            late = time.monotonic() - self.marks.get(key, 0.0) > 30
            if state == HANDSHAKE and late:
                self.states[key] = state = FAILED
            return state

    def hang_up(self, key):
        with self.lock:
            self.states.pop(key, None)
            self.marks.pop(key, None)
