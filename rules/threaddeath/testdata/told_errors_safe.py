"""A sender tries again for the errors that it was told of, and goes on.

Right: which classes these are is known only to whoever makes it; a handler of them may take
what a request that is gone raises.
"""

import queue
import threading


class Sender:
    def __init__(self, wire, soft=(KeyError, OSError)):
        self.wire = wire
        self.soft = soft
        self.jobs = {}
        self.turns = queue.Queue()
        threading.Thread(target=self._send, daemon=True).start()

    def submit(self, rid, job):
        self.jobs[rid] = job
        self.turns.put(rid)

    def drop(self, rid):
        self.jobs.pop(rid, None)

    def _send(self):
        while True:
            rid = self.turns.get()
            for _ in range(3):
                try:
                    self.wire.send(self.jobs[rid])
                    break
                except self.soft:
                    continue
