"""A worker that ends a request with its last chunk, and says nothing after the others.

Right: a chunk that is not the last leaves the request to the chunks behind it; the sender
always queues a last one.
"""

import queue
import threading


class Chunk:
    def __init__(self, rid, pages, last):
        self.rid = rid
        self.pages = pages
        self.last = last


class Feeder:
    def __init__(self, engine):
        self.engine = engine
        self.lock = threading.Lock()
        self.chunks = queue.Queue()
        self.states = {}
        threading.Thread(target=self._feed, daemon=True).start()

    def submit(self, rid, parts):
        with self.lock:
            self.states[rid] = "feeding"
        for pages in parts:
            self.chunks.put(Chunk(rid, pages, last=False))
        self.chunks.put(Chunk(rid, [], last=True))

    def _feed(self):
        while True:
            chunk = self.chunks.get()
            with self.lock:
                if self.states.get(chunk.rid) != "feeding":
                    continue
            try:
                self.engine.feed(chunk.pages, timeout=5)
            except Exception:
                self._settle(chunk.rid, "failed")
                continue
            if chunk.last:
                self._settle(chunk.rid, "fed")

    def _settle(self, rid, state):
        with self.lock:
            if self.states.get(rid) == "feeding":
                self.states[rid] = state

    def state(self, rid):
        with self.lock:
            return self.states.get(rid, "failed")

    def forget(self, rid):
        with self.lock:
            self.states.pop(rid, None)
