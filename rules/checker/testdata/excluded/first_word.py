"""A listener fails only orders that have a word, and whoever opens one stores two words.

KV105: excluded. The first word of an order cannot follow one that ends it.
"""

import threading

OPEN, READY, SENT, LOST = range(4)


class Orders:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.words = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def open(self, number, parcel):
        with self.lock:
            self.words[number] = OPEN
            if parcel.ready:
                self.words[number] = READY

    def _listen(self):
        while True:
            word, number = self.wire.recv()
            with self.lock:
                if word == "lost" and number in self.words:
                    self.words[number] = LOST
                elif self.words.get(number) == READY:
                    self.words[number] = SENT

    def word(self, number):
        with self.lock:
            return self.words[number]

    def forget(self, number):
        with self.lock:
            self.words.pop(number, None)
