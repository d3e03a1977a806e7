"""The address of a request is stored before its state, both in one critical section.

Right: the listener's cleanup takes the same lock, so it sees both or none.
"""

import threading
import time

OPEN, DONE, FAILED = 1, 2, 3


class Register:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.addresses = {}
        self.ends = {}
        self.states = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def enter(self, rid, address):
        with self.lock:
            self.addresses[rid] = address
            self.ends[rid] = time.monotonic() + 30
            self.states[rid] = OPEN

    def _listen(self):
        while True:
            message = self.inbox.get()
            with self.lock:
                if self.states.get(message.rid) == OPEN:
                    self.states[message.rid] = FAILED if message.cancel else DONE
                    self.addresses.pop(message.rid, None)

    def state(self, rid):
        with self.lock:
            if self.states.get(rid) == OPEN and time.monotonic() > self.ends.get(rid, 0.0):
                self.states[rid] = FAILED
            return self.states.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.addresses.pop(rid, None)
            self.ends.pop(rid, None)
            self.states.pop(rid, None)
