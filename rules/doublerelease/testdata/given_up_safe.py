"""A tracker reports the requests whose pages were fetched, and gives up those that wait too long.

Right: the word that the pages were fetched counts only while the request is waited for.
"""

import threading
import time
from collections import OrderedDict


class Tracker:
    def __init__(self, link):
        self.link = link
        self.lock = threading.Lock()
        self.finished = set()
        self.waiting = OrderedDict()
        threading.Thread(target=self.listen, daemon=True).start()

    def wait_for(self, number):
        with self.lock:
            self.waiting[number] = time.monotonic()

    def listen(self):
        while True:
            number = self.link.receive()
            with self.lock:
                if number in self.waiting:
                    self.finished.add(number)
                    self.waiting.pop(number, None)

    def take_finished(self):
        with self.lock:
            out = set(self.finished)
            self.finished.clear()
            now = time.monotonic()
            while self.waiting:
                number = next(iter(self.waiting))
                if now - self.waiting[number] < 60:
                    break
                self.waiting.popitem(last=False)
                out.add(number)
        return out
