"""Four barbers, and the chairs in which customers sit until one of them has them.

Racy: a customer can leave while a barber has them.
"""

import queue
import threading


class Shop:
    def __init__(self, scissors):
        self.scissors = scissors
        self.lock = threading.Lock()
        self.bell = queue.Queue()
        self.chairs = {}
        self.served = set()
        for _ in range(4):
            threading.Thread(target=self._cut, daemon=True).start()

    def sit(self, name, hair):
        with self.lock:
            self.chairs[name] = hair
        self.bell.put(name)

    def _cut(self):
        while True:
            name = self.bell.get()
            with self.lock:
                if name in self.served or name not in self.chairs:
                    continue
                self.served.add(name)
            self.scissors.cut(self.chairs[name])  # want "chairs.name. is tested, then read as if it were still there: Shop.leave can remove it"
            with self.lock:
                del self.chairs[name]
                self.served.discard(name)

    def leave(self, name):
        with self.lock:
            if name in self.chairs:
                del self.chairs[name]
