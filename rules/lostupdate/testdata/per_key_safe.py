"""One worker for each key, chosen by the key: nobody else counts for it."""

import queue
import threading


class Parts:
    def __init__(self, n):
        self.queues = [queue.Queue() for _ in range(n)]
        self.left = {}
        self.done = set()
        for q in self.queues:
            threading.Thread(target=self._send, args=(q,), daemon=True).start()

    def send(self, rid, parts):
        self.left[rid] = len(parts)
        for part in parts:
            self.queues[rid % len(self.queues)].put((rid, part))

    def _send(self, q):
        while True:
            rid, part = q.get()
            part.write()
            self.left[rid] -= 1
            if self.left[rid] == 0:
                self.done.add(rid)

    def poll(self, rid):
        return rid in self.done
