"""Two threads count what they have sent, one after the other.

Right: a thread counts while it has the token, which it takes out of its own queue and puts into that
of the other one.
"""

import queue
import threading


class Ring:
    def __init__(self, wire):
        self.wire = wire
        self.sent = 0
        left, right = queue.Queue(), queue.Queue()
        threading.Thread(target=self._work, args=(left, right), daemon=True).start()
        threading.Thread(target=self._work, args=(right, left), daemon=True).start()
        left.put("token")

    def _work(self, mine, other):
        while True:
            token = mine.get()
            self.wire.send(token)
            self.sent += 1
            if self.sent % 100 == 0:
                self.wire.flush()
            other.put(token)
