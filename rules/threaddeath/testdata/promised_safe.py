"""A dispatcher gives each order the result that its sender waits for, or the exception.

Right: no order ends it.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.kinds = ("store",)
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            try:
                if order.kind not in self.kinds:
                    raise ValueError(order.kind)
                self.open.add(order.rid)
                order.promise.set_result(order.rid)
            except ValueError as error:
                order.promise.set_exception(error)

    def count(self):
        return len(self.open)
