"""A worker ends the transfers of which the last part is there.

Wrong: _close() removes the transfer, and the worker deletes it once more; the worker dies of it.
"""

import queue
import threading


class Transfers:
    def __init__(self, link):
        self.link = link
        self.parts = queue.Queue()
        self.open = {}
        threading.Thread(target=self._work, daemon=True).start()

    def begin(self, rid, size):
        self.open[rid] = size

    def _close(self, rid):
        size = self.open.pop(rid)
        self.link.report(rid, size)

    def _work(self):
        while True:
            part = self.parts.get()
            if part.rid not in self.open:
                continue
            if part.last:
                self._close(part.rid)
                del self.open[part.rid]  # want "open.part.rid. is removed again"
