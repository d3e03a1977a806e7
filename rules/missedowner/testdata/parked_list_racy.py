"""Requests wait in one of three lists; abort() looks for a request in two of them.

Racy: a request that is parked for want of memory is not found, and stays parked after its
client has gone.
"""

DONE, FAILED = "done", "failed"


class Scheduler:
    def __init__(self, pool, start, answer):
        self.pool = pool
        self.start = start
        self.answer = answer
        self.waiting = []
        self.parked = []
        self.inflight = []

    def submit(self, request):
        self.waiting.append(request)

    def step(self):
        rest = []
        for request in self.parked + self.waiting:
            if self.pool.available() < request.size:
                rest.append(request)
                continue
            request.sender = self.start(request)
            self.inflight.append(request)
        self.waiting = []
        self.parked = rest
        self._poll()

    def _poll(self):
        rest = []
        for request in self.inflight:
            state = request.sender.poll()
            if state in (DONE, FAILED):
                self.answer(request, state)
            else:
                rest.append(request)
        self.inflight = rest

    def abort(self, rid):  # want "parked|abort"
        kept = []
        for request in self.waiting:
            if request.rid == rid:
                self.answer(request, FAILED)
            else:
                kept.append(request)
        self.waiting = kept
        for request in self.inflight:
            if request.rid == rid:
                request.sender.abort()
