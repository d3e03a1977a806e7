"""abort() removes the shared entry at once, and a missing entry reads as WAITING.

Right: abort() sets the verdict before, and poll() answers the verdict first. Without a verdict
the entry is there, or has not come yet: the listener makes it with the first message, and only
clear() and abort() remove it.
"""

import threading
import time

WAITING, DONE, FAILED = 1, 2, 3


class Board:
    def __init__(self, feed):
        self.feed = feed
        self.lock = threading.Lock()
        self.open = set()
        self.status = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            note = self.feed.get()
            with self.lock:
                if note.rid in self.open and note.rid not in self.status:
                    self.status[note.rid] = DONE if note.good else FAILED

    def remove(self, rid):
        with self.lock:
            self.open.discard(rid)
            self.status.pop(rid, None)


class Receiver:
    def __init__(self, board: Board, rid):
        self.board = board
        self.rid = rid
        self.verdict = None
        self.expires = time.monotonic() + 30
        with board.lock:
            board.open.add(rid)

    def poll(self):
        if self.verdict is not None:
            return self.verdict
        with self.board.lock:
            status = self.board.status.get(self.rid, WAITING)
        if status == WAITING and time.monotonic() > self.expires:
            status = FAILED
        if status != WAITING:
            self.verdict = status
        return status

    def abort(self):
        if self.verdict is None:
            self.verdict = FAILED
        self.board.remove(self.rid)

    def clear(self):
        self.abort()
