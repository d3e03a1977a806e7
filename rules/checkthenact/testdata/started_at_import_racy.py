"""The one larder of the house: a mouse that is let loose when the module is imported, and the cook.

Racy: either can take a cheese that the other has just seen.
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
            if cheese in self.shelf:
                del self.shelf[cheese]  # want "shelf.cheese. is tested, then removed as if it were still there: Larder.take can remove it"

    def put(self, cheese, weight):
        with self.lock:
            self.shelf[cheese] = weight
        self.smells.put(cheese)

    def take(self, cheese):
        if cheese in self.shelf:
            del self.shelf[cheese]  # want "shelf.cheese. is tested, then removed as if it were still there: Larder.nibble can remove it"


LARDER = Larder()
mouse = threading.Thread(target=LARDER.nibble, daemon=True)
mouse.start()
