"""A listener fails an order that is known, under the lock of whoever forgets it.

KV106: excluded. forget() comes after an answer that ends the order, and nothing makes it known again.
"""

import threading

OPEN, SENT, LOST = range(3)


class Orders:
    def __init__(self, wire):
        self.wire = wire
        self.lock = threading.Lock()
        self.boxes = {}
        self.words = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def pack(self, number, box):
        with self.lock:
            self.boxes[number] = box

    def open(self, number):
        with self.lock:
            self.words.setdefault(number, OPEN)

    def _listen(self):
        while True:
            word, number = self.wire.recv()
            with self.lock:
                if word == "lost":
                    known = self.boxes.pop(number, None) is not None or number in self.words
                    if known:
                        self.words[number] = LOST
                elif self.words.get(number) == OPEN:
                    self.words[number] = SENT

    def word(self, number):
        with self.lock:
            return self.words[number]

    def forget(self, number):
        with self.lock:
            self.boxes.pop(number, None)
            self.words.pop(number, None)
