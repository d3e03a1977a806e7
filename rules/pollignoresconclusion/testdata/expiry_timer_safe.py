"""A timer thread notes expired sessions; the poller asks for the status.

Right: status() answers FAILED for an expired session that has not ended by itself.
"""

import threading

RUNNING = "running"
ENDED = "ended"
FAILED = "failed"


class Sessions:
    def __init__(self, ends):
        self.ends = ends
        self.lock = threading.Lock()
        self.marks = {}
        self.expired = set()

        def collect():
            while True:
                session = self.ends.get()
                with self.lock:
                    if session not in self.expired and self.marks.get(session) == RUNNING:
                        self.marks[session] = ENDED

        threading.Thread(target=collect, daemon=True).start()

    def begin(self, session):
        with self.lock:
            self.marks[session] = RUNNING
        timer = threading.Timer(30.0, self._expire, args=(session,))
        timer.daemon = True
        timer.start()

    def _expire(self, session):
        with self.lock:
            if self.marks.get(session) == RUNNING:
                self.expired.add(session)

    def status(self, session):
        with self.lock:
            mark = self.marks.get(session, FAILED)
            if mark == RUNNING and session in self.expired:
                return FAILED
            return mark

    def end(self, session):
        with self.lock:
            self.marks.pop(session, None)
            self.expired.discard(session)
