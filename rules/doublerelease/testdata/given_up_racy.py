"""A tracker reports the requests whose pages were fetched, and gives up those that wait too long.

Wrong: the word that the pages were fetched may come after that. It is reported all the same, under
the right lock, and the pages are freed a second time.
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
                self.finished.add(number)  # want "is reported even when Tracker.take_finished has given it up"
                if number in self.waiting:
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
