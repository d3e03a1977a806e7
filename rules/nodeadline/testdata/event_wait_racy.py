"""The scheduler's step waits for the listener to say that the peer is ready.

Racy: the wait has no limit, and everything else that the scheduler does waits with it.
"""

import threading


class Session:
    def __init__(self, sid):
        self.sid = sid
        self.ready = threading.Event()
        self.state = "new"


class Sessions:
    def __init__(self, greetings):
        self.greetings = greetings
        self.lock = threading.Lock()
        self.sessions = {}
        threading.Thread(target=self._greet, daemon=True).start()

    def _greet(self):
        while True:
            sid = self.greetings.get()
            with self.lock:
                session = self.sessions.get(sid)
            if session is not None:
                session.ready.set()

    def add(self, sid):
        with self.lock:
            self.sessions[sid] = Session(sid)

    def step(self, sid):
        with self.lock:
            session = self.sessions.get(sid)
        if session is None:
            return "failed"
        if session.state == "new":
            session.ready.wait()  # want "step|wait"
            session.state = "up"
        return session.state

    def remove(self, sid):
        with self.lock:
            self.sessions.pop(sid, None)
