"""The mark of a session, or "lost".

Right: a session has a mark from the beginning, so one without was removed by the listener.
"""

import threading
import time


class Sessions:
    def __init__(self, calls):
        self.calls = calls
        self.lock = threading.Lock()
        self.marks = {}
        self.since = {}

        def listen():
            while True:
                call = self.calls.get()
                with self.lock:
                    if self.marks.get(call.sid) != "open":
                        continue
                    if call.hung_up:
                        self.marks.pop(call.sid, None)
                        self.since.pop(call.sid, None)
                    else:
                        self.marks[call.sid] = "served"

        threading.Thread(target=listen, daemon=True).start()

    def begin(self, sid):
        with self.lock:
            self.marks[sid] = "open"
            self.since[sid] = time.monotonic()

    def mark(self, sid):
        with self.lock:
            mark = self.marks.get(sid) or "lost"
            since = self.since.get(sid)
            if mark == "open" and since is not None and time.monotonic() - since > 30:
                self.marks[sid] = mark = "lost"
            return mark

    def end(self, sid):
        with self.lock:
            self.marks.pop(sid, None)
            self.since.pop(sid, None)
