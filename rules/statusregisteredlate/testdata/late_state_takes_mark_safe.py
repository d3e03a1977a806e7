"""A cancel of a request that has a source and no state yet leaves a mark.

Right: begin() takes the mark up and stores FAILED, so that the cancel is late but not lost.
"""

import threading
import time

RUNNING, DONE, FAILED = range(3)


class Intake:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.sources = {}
        self.states = {}
        self.began = {}
        self.marked = set()
        threading.Thread(target=self._listen, daemon=True).start()

    def announce(self, rid, source):
        with self.lock:
            self.sources[rid] = source

    def begin(self, rid):
        with self.lock:
            self.began[rid] = time.monotonic()
            self.states[rid] = FAILED if rid in self.marked else RUNNING

    def _listen(self):
        while True:
            message = self.inbox.get()
            rid = message.rid
            with self.lock:
                if rid in self.states:
                    if self.states[rid] == RUNNING:
                        self.states[rid] = FAILED if message.cancel else DONE
                elif message.cancel and rid in self.sources:
                    self.marked.add(rid)

    def poll(self, rid):
        with self.lock:
            age = time.monotonic() - self.began.get(rid, 0.0)
            if age > 30 and self.states.get(rid) == RUNNING:
                self.states[rid] = FAILED
            return self.states.get(rid, FAILED)

    def clear(self, rid):
        with self.lock:
            self.sources.pop(rid, None)
            self.states.pop(rid, None)
            self.began.pop(rid, None)
            self.marked.discard(rid)
