"""A dispatcher notes which orders are open, and marks the one at which it is.

Right: the mark is set and taken away in one turn, so nothing gives way to anything. What is open
stays open.
"""

import queue
import threading


class Dispatcher:
    def __init__(self):
        self.inbox = queue.Queue()
        self.running = set()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.running.add(order.number)
            self.open.add(order.number)
            self.running.discard(order.number)

    def idle(self):
        return not self.running

    def count(self):
        return len(self.open)
