"""A dispatcher holds two locks by hand when it leaves an order out.

Right: it gives both back before the next one.
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
                self.gate.release()
                self.lock.release()
                continue
            self.open.add(order.rid)
            self.gate.release()
            self.lock.release()

    def count(self):
        return len(self.open)
