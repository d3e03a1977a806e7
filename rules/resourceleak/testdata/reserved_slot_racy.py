"""A slot is reserved for each chunk and released when the chunk was sent, or could not be.

Wrong: a chunk that is too large is turned down with the slot in hand.
"""

import queue
import threading


class Sender:
    def __init__(self, ring, link):
        self.ring = ring
        self.link = link
        self.chunks = queue.Queue()
        self.sent = set()
        threading.Thread(target=self.work, daemon=True).start()

    def send(self, chunk):
        self.chunks.put(chunk)

    def forget(self, number):
        self.sent.discard(number)

    def work(self):
        while True:
            chunk = self.chunks.get()
            place = self.ring.reserve(chunk.size)
            if place is None:
                self.chunks.put(chunk)
                continue
            if chunk.size > self.link.limit:  # want "what self.ring.reserve.chunk.size. takes is not given back when this holds"
                self.sent.add(chunk.number)
                continue
            self.link.write(chunk.pages)
            self.sent.add(chunk.number)
            self.ring.release(place)
