"""The one larder of the house: a mouse that is let loose when the module is imported, and the cook.

Right: both look and take under the lock.
"""

import queue
import threading


class Larder:
    def __init__(self):
        self.lock = threading.Lock()
        self.smells = queue.Queue()
        self.shelf = {}

    def nibble(self):
        while True:
            cheese = self.smells.get()
            with self.lock:
                if cheese in self.shelf:
                    del self.shelf[cheese]

    def put(self, cheese, weight):
        with self.lock:
            self.shelf[cheese] = weight
        self.smells.put(cheese)

    def take(self, cheese):
        with self.lock:
            if cheese in self.shelf:
                del self.shelf[cheese]


LARDER = Larder()
mouse = threading.Thread(target=LARDER.nibble, daemon=True)
mouse.start()
