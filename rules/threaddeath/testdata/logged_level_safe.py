"""A dispatcher handles orders by a method whose decorator, made for a level of the log, takes what
the method raises.

Right: no order ends it.
"""

import functools
import logging
import threading

log = logging.getLogger(__name__)


def logged(level):
    def decorate(method):
        @functools.wraps(method)
        def inner(*args, **kwargs):
            try:
                return method(*args, **kwargs)
            except Exception as e:
                log.log(level, "%s failed", e)
                return None

        return inner

    return decorate


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self._handle(order)

    @logged(logging.ERROR)
    def _handle(self, order):
        assert order.kind == "store"
        self.open.add(order.rid)

    def count(self):
        return len(self.open)
