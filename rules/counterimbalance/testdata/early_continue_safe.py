"""A sender counts the chunks of a request that are on their way.

Right: an empty chunk is counted down as well.
"""

import queue
import threading


class Sender:
    def __init__(self, link):
        self.link = link
        self.chunks = queue.Queue()
        self.underway = {}
        threading.Thread(target=self._send_loop, daemon=True).start()

    def send(self, rid, pages):
        self.underway[rid] = self.underway.get(rid, 0) + 1
        self.chunks.put((rid, pages))

    def _send_loop(self):
        while True:
            rid, pages = self.chunks.get()
            if not pages:
                self.underway[rid] = self.underway[rid] - 1
                continue
            try:
                self.link.write(pages)
            except OSError:
                pass
            self.underway[rid] = self.underway[rid] - 1

    def drained(self, rid):
        return self.underway.get(rid, 0) == 0
