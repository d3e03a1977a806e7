"""Statuses are written without a look at what was there.

Right: one thread alone writes them, in the order of the messages, and it forgets a request that
has ended before it looks at the next message.
"""

import queue
import threading


class Clerk:
    def __init__(self, answer):
        self.answer = answer
        self.mail = queue.Queue()
        self.status = {}
        threading.Thread(target=self._work, daemon=True).start()

    def open(self, rid):
        self.mail.put(("open", rid))

    def advance(self, rid):
        self.mail.put(("moving", rid))

    def finish(self, rid):
        self.mail.put(("done", rid))

    def abort(self, rid):
        self.mail.put(("failed", rid))

    def _work(self):
        while True:
            letter = self.mail.get()
            word, rid = letter[0], letter[1]
            if word == "open":
                self.status[rid] = word
            elif rid in self.status:
                self.status[rid] = word
                if word in ("done", "failed"):
                    del self.status[rid]
                    self.answer(rid, word)
