"""The slot of a request is given back from several exits.

Right: whoever gives it back marks the request as having none.
"""


def release_slot(request, pool):
    if request.slot >= 0:
        pool.free(request.slot)
        request.slot = -1


class Queue:
    def __init__(self, pool):
        self.pool = pool
        self.waiting = []

    def add(self, request):
        request.slot = self.pool.alloc()
        self.waiting.append(request)

    def turn_down(self, request):
        self.waiting.append(request)
        release_slot(request, self.pool)
        self.end(request)

    def end(self, request):
        release_slot(request, self.pool)

    def work(self):
        for request in list(self.waiting):
            release_slot(request, self.pool)
        self.waiting.clear()
