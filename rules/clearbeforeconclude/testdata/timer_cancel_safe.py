"""A Timer cancels an upload that has taken too long.

Right: `cancelled` is set before the entry goes.
"""

import threading
from functools import partial


class Uploads:
    def __init__(self, acks):
        self.acks = acks
        self.lock = threading.Lock()
        self.parts = {}
        threading.Thread(target=self._acks, daemon=True).start()

    def _acks(self):
        while True:
            key = self.acks.get()
            with self.lock:
                if self.parts.get(key, 0) > 0:
                    self.parts[key] -= 1


class Upload:
    def __init__(self, uploads: Uploads, rank, rid, parts):
        self.uploads = uploads
        self.key = (rank, rid)
        self.cancelled = False
        with uploads.lock:
            uploads.parts[self.key] = parts
        timer = threading.Timer(20, partial(self._cancel, "timed out"))
        timer.daemon = True
        timer.start()

    def _cancel(self, why):
        with self.uploads.lock:
            if not self.uploads.parts.get(self.key):
                return
            self.cancelled = True
            self.uploads.parts.pop(self.key, None)

    def state(self):
        if self.cancelled:
            return "failed"
        with self.uploads.lock:
            left = self.uploads.parts.get(self.key)
        if left is None:
            return "failed"
        return "sent" if left == 0 else "sending"

    def clear(self):
        with self.uploads.lock:
            self.uploads.parts.pop(self.key, None)
