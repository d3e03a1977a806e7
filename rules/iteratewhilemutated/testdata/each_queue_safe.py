"""A request is in one of two queues, and an abort looks through both of them.

Right: what is found in a queue is taken out of it when the loop is over.
"""

from collections import deque


class Waiting:
    def __init__(self):
        self.fresh = deque()
        self.running = deque()

    def add(self, request):
        self.fresh.append(request)

    def start(self):
        self.running.append(self.fresh.popleft())

    def abort(self, ids):
        left = set(ids)
        for queue in (self.fresh, self.running):
            found = []
            for request in queue:
                if request.rid in left:
                    found.append(request)
                    left.remove(request.rid)
            for request in found:
                queue.remove(request)
            if not left:
                return
