"""A dispatcher takes the lock by hand for all parts of an order, and gives it back for the time of
a message.

Racy: a part of another kind ends the thread. From within the loop over the parts nothing goes on
with the next order.
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
            for part in order.parts:
                if part.kind != "store":
                    raise ValueError(part.kind)  # want "an item can lead to this ValueError"
                self.open.add(part.rid)
            if order.loud:
                self.lock.release()
                self.wire.tell(order.rid)
                self.lock.acquire()
            self.lock.release()

    def count(self):
        return len(self.open)
