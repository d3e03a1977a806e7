"""A thread waits until its peers are there, and then does what it has to do once."""

import queue
import threading
import time


class Crossing:
    def __init__(self, line, peers):
        self.line = line
        self.peers = peers
        self.arrived = queue.Queue()
        self.tickets = {}
        threading.Thread(target=self._open, daemon=True).start()

    def sell(self, ticket, seat):
        self.tickets[ticket] = seat

    def give_back(self, ticket):
        return self.tickets.pop(ticket, None)

    def _open(self):
        for peer in self.peers:
            while not self.line.sees(peer):
                time.sleep(1)
        first = self.line.receive()
        assert first[0] == b"OPEN"
        self.arrived.put(first[1])
