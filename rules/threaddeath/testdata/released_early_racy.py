"""A dispatcher notes orders, takes the lock by hand, and gives it back for the time of a
message.

Racy: an order of another kind ends the thread. A handler around the iteration would keep the
lock for ever, and no with statement does what acquire() and release() do here: whoever goes
on where the order is refused has to give it back there.
"""

import threading


class Dispatcher:
    def __init__(self, inbox, wire):
        self.inbox = inbox
        self.wire = wire
        self.lock = threading.Lock()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.lock.acquire()
            if order.kind == "store":
                self.open.add(order.rid)
                self.lock.release()
                self.wire.tell(order.rid)
                self.lock.acquire()
            else:
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.discard(order.old)
            self.lock.release()

    def count(self):
        with self.lock:
            return len(self.open)
