"""A desk gives a router from outside a list of what to call for which message.

Right: the thread that expires rows is also the one that asks the router.
"""

import threading


class Desk:
    def __init__(self, router, inbox):
        self.rows = {}
        self.inbox = inbox
        self.route = router([("add", self.add), ("drop", self.drop)])
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            self.pass_on(self.inbox.get())
            self.expire()

    def pass_on(self, message):
        self.route(message)

    def add(self, key):
        self.rows[key] = 1

    def drop(self, key):
        if key in self.rows:
            del self.rows[key]

    def expire(self):
        for key in list(self.rows):
            self.rows.pop(key, None)
