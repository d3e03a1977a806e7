"""The hearing thread ends a session: it removes the row, notes the reason, and marks the session.

Racy: state() in between finds neither. It asks for the reason of a session that is over, so
that the reason goes where the mark goes.
"""

import threading


class Desk:
    def __init__(self, wire):
        self.wire = wire
        self.rows = {}
        self.sessions = {}
        self.ended = 0
        threading.Thread(target=self._hear, daemon=True).start()

    def _hear(self):
        while True:
            number, reason = self.wire.recv()
            session = self.sessions.get(number)
            if session is not None:
                session.end(reason)


class Session:
    def __init__(self, desk: Desk, number, row):
        self.desk = desk
        self.number = number
        self.reason = None
        self.over = False
        desk.rows[number] = row
        desk.sessions[number] = self

    def end(self, reason):
        self.desk.rows.pop(self.number, None)  # want "rows"
        self.desk.wire.ack(self.number)
        self.reason = reason
        self.over = True

    def state(self):
        if self.over:
            return self.reason.word
        return self.desk.rows[self.number].state

    def close(self):
        self.desk.rows.pop(self.number, None)
        self.desk.sessions.pop(self.number, None)
