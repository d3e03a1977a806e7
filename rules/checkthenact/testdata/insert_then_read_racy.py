"""A listener makes room for a peer's parts and reads it back several times.

Racy: reset() on the caller's thread removes the entry between the insert and one of the reads.
"""

import queue
import threading


class Parts:
    def __init__(self, inbox: queue.Queue):
        self.inbox = inbox
        self.parts = {}
        self.full = set()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self):
        while True:
            msg = self.inbox.get()
            if msg.rid not in self.parts:
                self.parts[msg.rid] = {}
            self.parts[msg.rid][msg.peer] = msg.body  # want "parts.* is inserted, then read"
            if len(self.parts[msg.rid]) == msg.total:
                self.full.add(msg.rid)

    def poll(self, rid):
        return rid in self.full

    def reset(self, rid):
        self.full.discard(rid)
        self.parts.pop(rid, None)
