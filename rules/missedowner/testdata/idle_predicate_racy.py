"""The server goes to sleep, and gives its cache back, when is_idle() says so.

Racy: requests that wait for their handshake do not count. The server sleeps, and their step is
never called.
"""

from collections import deque


class Decoder:
    def __init__(self, engine):
        self.engine = engine
        self.handshakes = deque()
        self.transfers = deque()
        self.running = []

    def add(self, request):
        self.handshakes.append(request)

    def step(self):
        for _ in range(len(self.handshakes)):
            request = self.handshakes.popleft()
            if request.failed():
                request.answer("failed")
            elif request.shaken():
                self.transfers.append(request)
            else:
                self.handshakes.append(request)
        for _ in range(len(self.transfers)):
            request = self.transfers.popleft()
            if request.failed():
                request.answer("failed")
            elif request.arrived():
                self.running.append(request)
            else:
                self.transfers.append(request)
        self.running = [request for request in self.running if self.engine.advance(request)]

    def abort(self, req_id):
        for request in list(self.handshakes) + list(self.transfers) + self.running:
            if request.req_id == req_id:
                request.fail()

    def is_idle(self):  # want "handshakes|is_idle"
        return not self.transfers and not self.running
