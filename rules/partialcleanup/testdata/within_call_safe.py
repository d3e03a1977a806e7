"""A waiter lives as long as the call that waits.

Right: the same call that makes the waiter removes it, on every way out.
"""

import threading


class Waiters:
    def __init__(self, link):
        self.link = link
        self.data = {}
        self.waiters = {}

    def put(self, rid, data):
        self.data[rid] = data
        waiter = self.waiters.get(rid)
        if waiter is not None:
            waiter.set()

    def wait(self, rid):
        waiter = self.waiters[rid] = threading.Event()
        try:
            waiter.wait(5)
            if rid in self.data:
                return self.data[rid]
            return None
        finally:
            self.waiters.pop(rid, None)

    def forget(self, rid):
        self.data.pop(rid, None)
