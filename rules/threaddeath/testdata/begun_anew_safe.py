"""A dispatcher whose decorator begins it anew whatever it raises.

Right: an order of another kind ends the loop, and the next one begins.
"""

import functools
import logging
import threading

log = logging.getLogger(__name__)


def logged(method):
    @functools.wraps(method)
    def inner(self, *args):
        while True:
            try:
                return method(self, *args)
            except Exception:
                log.exception("%s failed", method.__name__)

    return inner


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    @logged
    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self._handle(order)

    def _handle(self, order):
        assert order.kind == "store"
        self.open.add(order.rid)

    def count(self):
        return len(self.open)
