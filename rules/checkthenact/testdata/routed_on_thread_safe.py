"""A desk gives its router a list of what to call for which message.

Right: one thread alone calls the router, and sweeps the rows as well.
"""

import threading


class Router:
    def __init__(self, pairs):
        self.known = dict(pairs)

    def __call__(self, message):
        fn = self.known.get(message.tag)
        if fn is not None:
            fn(message.key)


class Desk:
    def __init__(self, inbox):
        self.inbox = inbox
        self.rows = {}
        self.route = Router([("add", self.add), ("drop", self.drop)])
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            self.pass_on(self.inbox.get())
            self.sweep()

    def pass_on(self, message):
        self.route(message)

    def add(self, key):
        self.rows[key] = 1

    def drop(self, key):
        if key in self.rows:
            del self.rows[key]

    def sweep(self):
        for key in list(self.rows):
            if self.rows[key] > 9:
                self.rows.pop(key, None)
