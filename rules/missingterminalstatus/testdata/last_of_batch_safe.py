"""A sender that merges the pages of several requests into one write for each peer.

Right: a write that fails is noted for every request in it.
"""

import queue
import threading


class Sender(threading.Thread):
    def __init__(self, link, report):
        super().__init__(daemon=True)
        self.link = link
        self.report = report
        self.batches = queue.Queue()
        self.broken = set()

    def add(self, batch):
        self.batches.put(batch)

    def run(self):
        while True:
            self.send(self.batches.get())

    def send(self, batch):
        writes = {}
        for rid, pages in batch.items():
            writes.setdefault(pages.peer, []).append(rid)
        for peer, rids in writes.items():
            if self.link.write(peer, rids) < 0:
                self.broken.update(rids)
            for rid in rids:
                self.report(rid, rid not in self.broken)
                self.broken.discard(rid)
