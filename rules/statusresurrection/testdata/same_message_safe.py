"""A defaultdict counts the parts of a message while it is taken apart.

Right: the entry lives no longer than the message; the same handler pops it again.
"""

import threading
import time
from collections import defaultdict

OPEN, FULL, SHORT = range(3)


class Unpacker:
    def __init__(self, mail):
        self.mail = mail
        self.lock = threading.Lock()
        self.parts = defaultdict(int)
        self.state = {}
        self.limit = {}
        threading.Thread(target=self._unpack, daemon=True).start()

    def open(self, rid):
        with self.lock:
            self.state[rid] = OPEN
            self.limit[rid] = time.monotonic() + 30

    def _unpack(self):
        while True:
            letter = self.mail.get()
            with self.lock:
                for _ in letter.pages:
                    self.parts[letter.rid] += 1
                total = self.parts.pop(letter.rid, 0)
                if self.state.get(letter.rid) == OPEN:
                    self.state[letter.rid] = FULL if total == letter.announced else SHORT

    def poll(self, rid):
        with self.lock:
            if self.state.get(rid) == OPEN and time.monotonic() > self.limit.get(rid, 0.0):
                self.state[rid] = SHORT
            return self.state.get(rid, SHORT)

    def clear(self, rid):
        with self.lock:
            self.state.pop(rid, None)
            self.limit.pop(rid, None)
