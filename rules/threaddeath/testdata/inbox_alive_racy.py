"""A dispatcher expects its inbox to be alive.

Racy: once the inbox is closed, the dispatcher is gone. To go on would only ask again.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            assert self.inbox.alive()  # want "an item can fail this assert"
            order = self.inbox.get()
            self.open.add(order.rid)

    def count(self):
        return len(self.open)
