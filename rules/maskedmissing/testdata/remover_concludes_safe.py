"""The listener removes a lost request, and a missing state reads as "open".

Right: in the same critical section the listener notes the request in `ended`, where poll()
looks first. The poll that returns the word takes it away, and is the last.
"""

import threading
import time


class Inn:
    def __init__(self, news):
        self.news = news
        self.lock = threading.Lock()
        self.rooms = {}
        self.limits = {}
        self.ended = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def enter(self, rid):
        with self.lock:
            self.rooms[rid] = "open"
            self.limits[rid] = time.monotonic() + 30

    def _end(self, rid, word):
        if self.rooms.pop(rid, None) is not None:
            self.ended[rid] = word

    def _listen(self):
        while True:
            item = self.news.get()
            with self.lock:
                self._end(item.rid, "lost" if item.lost else "done")

    def poll(self, rid):
        with self.lock:
            if time.monotonic() > self.limits.get(rid, 0.0):
                self._end(rid, "late")
            word = self.ended.pop(rid, None)
            if word is None:
                return self.rooms.get(rid, "open")
            self.limits.pop(rid, None)
            return word
