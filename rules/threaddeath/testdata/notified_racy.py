"""A dispatcher notes orders under a condition that it acquires by hand, and wakes who waits for one.

Racy: an order of another kind ends the dispatcher, which holds the condition then.
"""

import threading


class Dispatcher:
    def __init__(self, inbox):
        self.inbox = inbox
        self.news = threading.Condition()
        self.open = set()
        threading.Thread(target=self._dispatch, daemon=True).start()

    def _dispatch(self):
        while True:
            order = self.inbox.get()
            self.news.acquire()
            if order.kind != "store":
                raise ValueError(order.kind)  # want "an item can lead to this ValueError"
            self.open.add(order.rid)
            self.news.notify_all()
            self.news.release()

    def count(self):
        return len(self.open)
