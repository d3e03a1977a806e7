"""A dispatcher handles orders by a method whose decorator takes the KeyErrors that it raises.

Racy: an order of another kind raises another exception, and ends the dispatcher.
"""

import functools
import logging
import threading

log = logging.getLogger(__name__)


def logged(method):
    @functools.wraps(method)
    def inner(self, *args):
        try:
            return method(self, *args)
        except KeyError:
            log.exception("%s failed", method.__name__)

    return inner


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
        assert order.kind == "store"  # want "an item can fail this assert"
        self.open.add(order.rid)

    def count(self):
        return len(self.open)
