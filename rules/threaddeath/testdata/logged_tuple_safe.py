"""A dispatcher handles orders by a method whose decorator is an object that logs what it raises, by
a tuple of classes.

Right: no order ends it.
"""

import functools
import logging
import threading

log = logging.getLogger(__name__)

ALL = (ValueError, Exception)


class logged:
    def __init__(self, method):
        self.method = method

    def __get__(self, obj, cls=None):
        return functools.partial(self, obj)

    def __call__(self, *args):
        try:
            return self.method(*args)
        except ALL:
            log.exception("failed")


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self._handle(order)

    @logged
    def _handle(self, order):
        assert order.kind == "store"
        self.open.add(order.rid)

    def count(self):
        return len(self.open)
