"""A worker that concludes a request only with the last of its parts.

Right: on the other parts it counts one off and goes on; a part that fails counts as well, and
spoils the request.
"""

import queue
import threading


class Parts:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.queue = queue.Queue()
        self.left = {}
        self.spoiled = set()
        self.results = {}
        threading.Thread(target=self._send, daemon=True).start()

    def submit(self, rid, parts):
        if not parts:
            raise ValueError("a request has at least one part")
        with self.lock:
            self.results[rid] = "pending"
            self.left[rid] = len(parts)
        for part in parts:
            self.queue.put((rid, part))

    def _send(self):
        while True:
            item = self.queue.get()
            rid = item[0]
            try:
                self.wire.send(item[1], timeout=5)
                good = True
            except Exception:
                good = False
            with self.lock:
                if rid not in self.left:
                    continue
                if not good:
                    self.spoiled.add(rid)
                self.left[rid] -= 1
                if self.left[rid] > 0:
                    continue
                self.results[rid] = "failed" if rid in self.spoiled else "sent"

    def result(self, rid):
        with self.lock:
            return self.results.get(rid, "failed")

    def forget(self, rid):
        with self.lock:
            self.left.pop(rid, None)
            self.spoiled.discard(rid)
            self.results.pop(rid, None)
