"""A listener takes over a code that is greater than the one it has.

Racy: ERROR is 0. A late progress message is greater than it and brings an ended session back to
life.
"""

import threading
import time

ERROR = 0
OPENING = 1
MOVING = 2
READY = 3


class Sessions(threading.Thread):
    def __init__(self, reports):
        super().__init__(daemon=True)
        self.reports = reports
        self.guard = threading.Lock()
        self.codes = {}
        self.limits = {}
        self.start()

    def open(self, session):
        with self.guard:
            self.codes[session] = OPENING
            self.limits[session] = time.monotonic() + 30

    def run(self):
        while True:
            report = self.reports.get()
            with self.guard:
                code = self.codes.get(report.session)
                if code is not None and report.code > code:
                    self.codes[report.session] = report.code  # want "codes"

    def code(self, session):
        with self.guard:
            code = self.codes.get(session, ERROR)
            late = time.monotonic() > self.limits.get(session, 0.0)
            if late and code in (OPENING, MOVING):
                self.codes[session] = code = ERROR
            return code

    def abort(self, session):
        with self.guard:
            if self.codes.get(session) in (OPENING, MOVING):
                self.codes[session] = ERROR

    def close(self, session):
        with self.guard:
            self.codes.pop(session, None)
            self.limits.pop(session, None)
