"""Insert and use are one critical section with the removal."""

import queue
import threading


class Parts:
    def __init__(self, inbox: queue.Queue):
        self.inbox = inbox
        self.guard = threading.Lock()
        self.parts = {}
        self.full = set()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self):
        while True:
            msg = self.inbox.get()
            with self.guard:
                self._keep(msg)

    def _keep(self, msg):
        if msg.rid not in self.parts:
            self.parts[msg.rid] = {}
        self.parts[msg.rid][msg.peer] = msg.body
        if len(self.parts[msg.rid]) == msg.total:
            self.full.add(msg.rid)

    def poll(self, rid):
        return rid in self.full

    def reset(self, rid):
        with self.guard:
            self.full.discard(rid)
            self.parts.pop(rid, None)
