"""A dispatcher whose decorator logs what it raises.

Racy: an order of another kind ends the dispatcher all the same.
"""

import logging
import threading


def guarded(method):
    def inner(self):
        try:
            method(self)
        except Exception:
            logging.exception("failed")

    return inner


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    @guarded
    def _dispatch(self):
        while True:
            order = self.inbox.get()
            assert order.kind == "store"  # want "an item can fail this assert"
            self.open.add(order.rid)

    def count(self):
        return len(self.open)
