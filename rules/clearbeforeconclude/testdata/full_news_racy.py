"""The hearing thread removes the row of a job and then ends it, which tells a bounded queue.

Racy: state() in between finds neither. The queue may be full, and whoever empties it holds the
lock of the rows: nobody may wait for room under that.
"""

import queue
import threading


class Board:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.rows = {}
        self.over = set()
        self.news = queue.Queue(1)
        threading.Thread(target=self._hear, daemon=True).start()

    def post(self, job, row):
        with self.lock:
            self.rows[job] = row

    def _end(self, job):
        self.over.add(job)
        self.news.put(job)

    def _hear(self):
        while True:
            job = self.wire.recv()
            with self.lock:
                self.rows.pop(job, None)  # want "rows"
            self._end(job)

    def state(self, job):
        with self.lock:
            if job in self.over:
                return "over"
            return self.rows[job].state

    def tick(self):
        with self.lock:
            job = self.news.get(timeout=1)
            self.rows.pop(job, None)

    def clear(self, job):
        with self.lock:
            self.rows.pop(job, None)
            self.over.discard(job)
