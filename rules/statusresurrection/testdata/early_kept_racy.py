"""Choirs register voices for a concert. A voice may be quicker than the conductor, who keeps whom he finds.

Racy: a voice that comes after the concert was dropped leaves an entry for ever. Nothing tells it
from one that is early, so to ask for the concert loses these: the author has to judge.
"""

import threading


class Hall:
    def __init__(self, post):
        self.post = post
        self.lock = threading.Lock()
        self.voices = {}
        self.needed = {}
        threading.Thread(target=self._read, daemon=True).start()

    def plan(self, concert, needed):
        with self.lock:
            self.needed[concert] = needed
            self.voices.setdefault(concert, {})

    def _read(self):
        while True:
            card = self.post.next()
            with self.lock:
                self.voices.setdefault(card.concert, {})[card.part] = card.name  # want "voices.card.concert. is stored even when Hall.drop has removed it"

    def complete(self, concert):
        with self.lock:
            return len(self.voices[concert]) >= self.needed[concert]

    def drop(self, concert):
        with self.lock:
            self.needed.pop(concert, None)
            self.voices.pop(concert, None)
