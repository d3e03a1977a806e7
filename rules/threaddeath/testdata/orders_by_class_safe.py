"""A dispatcher hands orders on by their class.

Right: the program itself makes what comes out of the queue, and the last branch says that
nothing else can.
"""

import threading
from dataclasses import dataclass


@dataclass
class Store:
    rid: str


@dataclass
class Cancel:
    rid: str


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            if isinstance(order, Store):
                self.open.add(order.rid)
            elif isinstance(order, Cancel):
                self.open.discard(order.rid)
            else:
                assert False, order

    def count(self):
        return len(self.open)
