"""The prefill side of the scheduler: computes requests, then waits for their push."""

from collections import deque

from .base.conn import Phase


class Request:
    def __init__(self, rid, ticket):
        self.rid = rid
        self.ticket = ticket
        self.sender = None
        self.error = None


class PrefillQueue:
    """All of it runs on the scheduler's thread."""

    def __init__(self, manager, sender_class, compute, answer):
        self.manager = manager
        self.sender_class = sender_class
        self.compute = compute
        self.answer = answer
        self.waiting = deque()
        self.inflight = []

    def submit(self, rid, ticket):
        self.waiting.append(Request(rid, ticket))

    def run_one(self):
        """Computes the next request and puts it in flight."""
        if not self.waiting:
            return
        request = self.waiting.popleft()
        request.sender = self.sender_class(self.manager, request.ticket)
        self.inflight.append(request)
        request.sender.send(self.compute(request))

    def process_inflight(self):
        """Answers the requests that are over and keeps the others."""
        rest = []
        for request in self.inflight:
            phase = request.sender.poll()
            if phase not in (Phase.DONE, Phase.FAILED):
                rest.append(request)
                continue
            if phase == Phase.FAILED:
                request.error = request.sender.reason()
            request.sender.clear()
            self.answer(request)
        self.inflight = rest

    def abort(self, rid):
        for request in list(self.waiting):
            if request.rid == rid:
                self.waiting.remove(request)
                request.error = "aborted"
                self.answer(request)
        for request in self.inflight:
            if request.rid == rid:
                request.sender.abort()
