"""Two threads count what they have sent, one after the other, and have their lines in a list.

Right: a thread counts while it has the token, which it takes out of its own line and puts into that
of the other one.
"""

import queue
import threading


class Ring:
    def __init__(self, wire):
        self.wire = wire
        self.sent = 0
        lines = [queue.Queue(), queue.Queue()]
        threading.Thread(target=self._work, args=(lines[0], lines[1]), daemon=True).start()
        threading.Thread(target=self._work, args=(lines[1], lines[0]), daemon=True).start()
        lines[0].put("token")

    def _work(self, mine, other):
        while True:
            token = mine.get()
            self.wire.send(token)
            self.sent += 1
            if self.sent % 100 == 0:
                self.wire.flush()
            other.put(token)
