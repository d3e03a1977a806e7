"""Chunks that have arrived are kept in a defaultdict, by stream.

Racy: a chunk that comes after close() makes an empty entry by the mere look-up, and nobody
closes the stream again.
"""

import threading
import time
from collections import defaultdict

GOING, WHOLE, TORN = "going", "whole", "torn"


class Assembler:
    def __init__(self, chunks):
        self.chunks = chunks
        self.lock = threading.Lock()
        self.seen = defaultdict(set)
        self.wanted = {}
        self.began = {}
        threading.Thread(target=self.pump, daemon=True).start()

    def open(self, stream, count):
        with self.lock:
            self.began[stream] = time.monotonic()
            self.wanted[stream] = count
            self.seen[stream] = set()

    def pump(self):
        while True:
            chunk = self.chunks.get()
            with self.lock:
                self.seen[chunk.stream].add(chunk.number)  # want "seen"

    def state(self, stream):
        with self.lock:
            if stream not in self.wanted:
                return TORN
            if len(self.seen.get(stream, ())) >= self.wanted[stream]:
                return WHOLE
            late = time.monotonic() - self.began.get(stream, 0.0) > 30
            return TORN if late else GOING

    def close(self, stream):
        with self.lock:
            self.seen.pop(stream, None)
            self.wanted.pop(stream, None)
            self.began.pop(stream, None)
