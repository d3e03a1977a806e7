"""A barber marks who is served by name, and takes the mark away by another spelling of it.

KV201: not excluded, for it is not known whether that is the same mark.
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
            self.scissors.cut(self.chairs[name])
            with self.lock:
                del self.chairs[name]
                self.served.discard(name.lower())

    def leave(self, name):
        with self.lock:
            if name in self.chairs and name not in self.served:
                del self.chairs[name]
