"""A pull is submitted to a pool, and a callback looks at its Future.

Right: the callback marks the session by what the Future holds, an exception or not.
"""

import threading
from concurrent.futures import ThreadPoolExecutor


class Puller:
    def __init__(self, remote):
        self.remote = remote
        self.lock = threading.Lock()
        self.marks = {}
        self.pool = ThreadPoolExecutor(2)

    def pull(self, session, pages):
        with self.lock:
            self.marks[session] = "pulling"
        future = self.pool.submit(self.remote.read, pages, timeout=10)
        future.add_done_callback(lambda done: self._ended(session, done))

    def _ended(self, session, future):
        failed = future.exception() is not None
        self._mark(session, "lost" if failed else "pulled")

    def _mark(self, session, mark):
        with self.lock:
            if self.marks.get(session) == "pulling":
                self.marks[session] = mark

    def mark(self, session):
        with self.lock:
            return self.marks.get(session, "lost")

    def end(self, session):
        with self.lock:
            self.marks.pop(session, None)
