"""A pull is submitted to a pool, and its Future is thrown away.

Racy: an exception of the pull ends in that Future. Nobody looks at it, and the mark of the
session stays "pulling".
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
        self.pool.submit(self._run, session, pages)  # want "marks|_run|pull"

    def _run(self, session, pages):
        self.remote.read(pages, timeout=10)
        self._mark(session, "pulled")

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
