"""A sender that merges the pages of several requests into one write for each peer.

Racy: a write that fails is noted for one request alone, the one that the merging loop has ended
with. The other requests of the write count as sent, and their peers wait for pages that never come.
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
                self.broken.add(rid)  # want "only rid, which the loop in line 28 has left behind"
            for rid in rids:
                self.report(rid, rid not in self.broken)
                self.broken.discard(rid)
