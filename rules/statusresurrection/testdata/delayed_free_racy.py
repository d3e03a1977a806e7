"""A tracker of requests whose blocks stay until the peer has read them, or until a deadline.

Racy: the engine adds the request one step after it was sent. When the peer has read it by then,
the entry comes late, and the sweep reports the request a second time.
"""

import threading
import time


class Tracker:
    def __init__(self, sockets):
        self.sockets = sockets
        self.lock = threading.Lock()
        self.delayed = {}
        self.finished = set()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            note = self.sockets.receive()
            with self.lock:
                self.finished.add(note.req_id)
                self.delayed.pop(note.req_id, None)

    def add_delayed(self, req_id):
        with self.lock:
            self.delayed[req_id] = time.monotonic() + 120  # want "delayed"

    def get_finished(self):
        now = time.monotonic()
        with self.lock:
            for req_id, end in list(self.delayed.items()):
                if now > end:
                    del self.delayed[req_id]
                    self.finished.add(req_id)
            done, self.finished = self.finished, set()
        return done
