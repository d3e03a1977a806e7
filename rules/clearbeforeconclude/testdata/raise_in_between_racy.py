"""A failure is recorded after the shared entry is gone and the peer has been told.

Racy: telling the peer can raise. The verdict is not set then, and later polls take the missing
entry for BUSY.
"""

import threading
import time
from enum import IntEnum


class Code(IntEnum):
    ERROR = 0
    BUSY = 1
    OK = 2


class Table:
    def __init__(self, feed):
        self.feed = feed
        self.lock = threading.Lock()
        self.codes = {}
        threading.Thread(target=lambda: self._feed(), daemon=True).start()

    def _feed(self):
        while True:
            rid = self.feed.get()
            with self.lock:
                if self.codes.get(rid) == Code.BUSY:
                    self.codes[rid] = Code.OK

    def code(self, rid):
        with self.lock:
            return self.codes.get(rid, Code.BUSY)

    def remove(self, rid):
        with self.lock:
            self.codes.pop(rid, None)


class Fetch:
    def __init__(self, table: Table, rid, peer):
        self.table = table
        self.rid = rid
        self.peer = peer
        self.verdict = None
        self.born = time.monotonic()
        with table.lock:
            table.codes[rid] = Code.BUSY

    def poll(self):
        if self.verdict is not None:
            return self.verdict
        code = self.table.code(self.rid)
        if code == Code.BUSY and time.monotonic() - self.born > 60:
            self.verdict = code = Code.ERROR
        return code

    def abort(self):
        self.table.remove(self.rid)  # want "codes|remove"
        self.peer.tell("abort", self.rid)
        self.verdict = Code.ERROR

    def clear(self):
        self.table.remove(self.rid)
