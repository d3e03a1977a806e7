"""poll() asks two helpers, one of them in a mixin, before it says that the request is pending.

Right: the conclusion that abort() stores is read, in _concluded().
"""

import threading
import time

PENDING, GOOD, BAD = 10, 20, 30


class Concludable:
    conclusion = None

    def _concluded(self):
        return self.conclusion is not None

    def _conclude(self, how):
        if not self._concluded():
            self.conclusion = how


class Parcel(Concludable):
    def __init__(self, post, key):
        self.post = post
        self.key = key
        self.lock = threading.Lock()
        self.limit = time.monotonic() + 30
        post.subscribe(key, self._arrived)

    def _arrived(self):
        with self.lock:
            self._conclude(GOOD)

    def abort(self):
        with self.lock:
            self._conclude(BAD)

    def _overdue(self):
        return time.monotonic() > self.limit

    def poll(self):
        with self.lock:
            if not self._concluded() and self._overdue():
                self._conclude(BAD)
            if self._concluded():
                return self.conclusion
            return PENDING
