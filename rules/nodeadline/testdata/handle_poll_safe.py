"""A receiver that waits for the word of its peer, for half a minute.

Right: poll() looks at the clock before it says WAITING.
"""

import threading
import time


class Status:
    WAITING = 1
    DONE = 2
    FAILED = 3


class Post:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.status = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        while True:
            message = self.inbox.get()
            with self.lock:
                if self.status.get(message.rid) == Status.WAITING:
                    self.status[message.rid] = Status.DONE


class Receiver:
    def __init__(self, post: Post, rid):
        self.post = post
        self.rid = rid
        self.began = time.monotonic()
        with post.lock:
            post.status[rid] = Status.WAITING

    def poll(self):
        with self.post.lock:
            status = self.post.status.get(self.rid, Status.FAILED)
            if status == Status.WAITING and time.monotonic() - self.began > 30:
                self.post.status[self.rid] = status = Status.FAILED
            return status

    def age(self):
        return time.monotonic() - self.began

    def clear(self):
        with self.post.lock:
            self.post.status.pop(self.rid, None)
