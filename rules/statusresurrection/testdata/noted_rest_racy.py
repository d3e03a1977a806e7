"""A cloakroom hangs coats up for an hour with a tag each, and returns which of them have left.

Racy: a guest can be gone before his coat hangs, which then stays for an hour and leaves again. How
many coats came in, and when the last one did, is known in any case.
"""

import threading
import time


class Cloakroom:
    def __init__(self, door):
        self.door = door
        self.lock = threading.Lock()
        self.due = {}
        self.tags = {}
        self.left = set()
        self.taken_in = 0
        self.last = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            coat = self.door.next()
            with self.lock:
                self.left.add(coat)
                self.due.pop(coat, None)
                self.tags.pop(coat, None)

    def hang(self, coat, tag):
        with self.lock:
            self.tags[coat] = tag  # want "tags.coat. is stored even when Cloakroom._watch has removed it"
            self.due[coat] = time.monotonic() + 3600
            self.taken_in += 1
        self.last = time.monotonic()

    def get_left(self):
        with self.lock:
            now = time.monotonic()
            for coat, due in list(self.due.items()):
                if due < now:
                    del self.due[coat]
                    self.tags.pop(coat, None)
                    self.left.add(coat)
            left, self.left = self.left, set()
        return left
