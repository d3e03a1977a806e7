"""A chunk that cannot be sent yet goes back into the queue.

Right: it is counted once, at the first turn, and down at the turn in which it is sent.
"""

import queue
import threading
from collections import defaultdict


class Chunks:
    def __init__(self, link):
        self.link = link
        self.queue = queue.Queue()
        self.outstanding = defaultdict(int)
        threading.Thread(target=self._work, daemon=True).start()

    def add(self, chunk):
        self.queue.put(chunk)

    def _work(self):
        while True:
            chunk = self.queue.get()
            if not chunk.counted:
                self.outstanding[chunk.rid] += 1
                chunk.counted = True
            deferred = False
            for part in chunk.parts:
                if not self.link.ready(part):
                    self.queue.put(chunk)
                    deferred = True
                    break
                self.link.send(part)
            if deferred:
                continue
            self.outstanding[chunk.rid] -= 1
