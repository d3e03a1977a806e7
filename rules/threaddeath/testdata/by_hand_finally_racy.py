"""A dispatcher raises for orders of another kind; the lock that it has taken by hand is given back
in any case.

Racy: such an order ends the dispatcher.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.lock = threading.Lock()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.lock.acquire()
            try:
                if order.kind != "store":
                    raise ValueError(order.kind)  # want "an item can lead to this ValueError"
                self.open.add(order.rid)
            finally:
                self.lock.release()

    def count(self):
        with self.lock:
            return len(self.open)
