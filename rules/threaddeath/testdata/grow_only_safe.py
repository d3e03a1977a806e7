"""Nobody ever removes what the thread looks up strictly: it is filled when a peer registers."""

import threading


class Router:
    def __init__(self, sock):
        self.sock = sock
        self.routes = {}
        threading.Thread(target=self._route, daemon=True).start()

    def _route(self):
        while True:
            peer = self.sock.recv()
            self.routes[peer].forward()

    def register(self, peer, route):
        self.routes[peer] = route
