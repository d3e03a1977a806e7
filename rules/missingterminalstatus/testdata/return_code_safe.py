"""An engine that tells of errors by its return code.

Right: a non-zero code becomes the state "bad" before the batch is given up.
"""

import logging
import queue
import threading

log = logging.getLogger(__name__)


class Writer(threading.Thread):
    def __init__(self, engine):
        super().__init__(daemon=True)
        self.engine = engine
        self.mutex = threading.Lock()
        self.batches = queue.SimpleQueue()
        self.states = {}

    def put(self, rank, rid, pages):
        with self.mutex:
            self.states[(rank, rid)] = "open"
        self.batches.put(((rank, rid), pages))

    def run(self):
        while True:
            batch = self.batches.get()
            self.handle(batch[0], batch[1])

    def handle(self, key, pages):
        try:
            code = self.engine.submit_and_wait(pages)
        except Exception:
            log.exception("engine broke on %r", key)
            self.close(key, "bad")
            return
        if code != 0:
            log.error("engine answered %d for %r", code, key)
            self.close(key, "bad")
            return
        self.close(key, "good")

    def close(self, key, state):
        with self.mutex:
            if self.states.get(key) == "open":
                self.states[key] = state

    def state(self, rank, rid):
        with self.mutex:
            return self.states.get((rank, rid), "bad")

    def remove(self, rank, rid):
        with self.mutex:
            self.states.pop((rank, rid), None)
