"""A dispatcher holds two locks by hand when it refuses an order, and the inbox waits to hear that
each order is done.

Racy: the order ends the thread. Whoever goes on gives both locks back, the last one first, and
tells the inbox.
"""

import threading


class Dispatcher:
    def __init__(self, inbox, wire):
        self.inbox = inbox
        self.wire = wire
        self.lock = threading.Lock()
        self.gate = threading.Lock()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.lock.acquire()
            self.gate.acquire()
            if order.kind != "store":
                raise ValueError(f"no orders of kind {order.kind}")  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            self.gate.release()
            if order.loud:
                self.lock.release()
                self.wire.tell(order.rid)
                self.lock.acquire()
            self.open.discard(order.old)
            self.lock.release()
            self.inbox.task_done()

    def count(self):
        return len(self.open)
