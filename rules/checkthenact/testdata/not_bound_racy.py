"""A table of peers that a listener empties while others look into it.

Racy in five forms, and in none of them a look-up before the statement could take the
place of the test: it would store into a variable, ask for what a comprehension binds,
fail where another test comes first, or keep what the loop waits to change. It can
stand where the test does, at times; what stores needs a lock.
"""

import threading


class Peers:
    def __init__(self, sock):
        self.sock = sock
        self.peers = {}
        threading.Thread(target=self.listen, daemon=True).start()

    def add(self, name):
        self.peers[name] = 1

    def listen(self):
        while True:
            name, size = self.sock.recv()
            if size:
                self.peers[name] = size
            else:
                self.peers.pop(name, None)

    def grow(self, name):
        if name in self.peers:
            self.peers[name] += 1  # want "peers.name. is tested, then read"

    def total(self, names):
        return sum(self.peers[name] for name in names if name in self.peers)  # want "peers.name. is tested, then read"

    def of(self, req):
        if req is not None and req.name in self.peers:
            size = self.peers[req.name]  # want "peers.req.name. is tested, then read"
            return size + 1
        return 0

    def either(self, req):
        return self.peers[req.name] if req and req.name in self.peers else 0  # want "peers.req.name. is tested, then read"

    def wait(self, name):
        if name in self.peers:
            while self.peers[name] < 3:  # want "peers.name. is tested, then read"
                self.sock.wait()
