"""A tracker of requests whose blocks stay until the peer has read them, or until a deadline.

Right: a request that was read before it was added leaves a mark, and add_delayed takes the mark
instead of adding. Marks that nobody takes go after two minutes.
"""

import threading
import time


class Tracker:
    def __init__(self, sockets):
        self.sockets = sockets
        self.lock = threading.Lock()
        self.delayed = {}
        self.early = {}
        self.finished = set()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            note = self.sockets.receive()
            with self.lock:
                if self.delayed.pop(note.req_id, None) is None:
                    self.early[note.req_id] = time.monotonic()
                else:
                    self.finished.add(note.req_id)

    def add_delayed(self, req_id):
        with self.lock:
            if self.early.pop(req_id, None) is not None:
                self.finished.add(req_id)
                return
            self.delayed[req_id] = time.monotonic() + 120

    def get_finished(self):
        now = time.monotonic()
        with self.lock:
            for req_id, end in list(self.delayed.items()):
                if now > end:
                    del self.delayed[req_id]
                    self.finished.add(req_id)
            for req_id, at in list(self.early.items()):
                if now - at > 120:
                    del self.early[req_id]
            done, self.finished = self.finished, set()
        return done
