"""Each worker keeps its own cache of routes, and empties it when it has grown.

Right: the cache is thread-local; what another thread removes is in another dict.
"""

import queue
import threading


class Router:
    def __init__(self, directory, deliver):
        self.directory = directory
        self.deliver = deliver
        self.local = threading.local()
        self.letters = queue.Queue()
        for _ in range(3):
            threading.Thread(target=self._run, daemon=True).start()

    def post(self, rid, name):
        self.letters.put((rid, name))

    def _run(self):
        self.local.routes = {}
        while True:
            letter = self.letters.get()
            routes = self.local.routes
            if letter[1] not in routes:
                routes[letter[1]] = self.directory.find(letter[1])
            self.deliver(letter[0], routes[letter[1]])
            if len(routes) > 100:
                routes.clear()
