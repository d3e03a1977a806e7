"""A request is in one of three queues, and an abort looks through all of them.

Racy: the loop over a queue takes requests out of it, and goes on.
"""

from collections import deque


class Waiting:
    def __init__(self):
        self.fresh = deque()
        self.running = deque()
        self.parked = {}

    def add(self, request):
        self.fresh.append(request)

    def start(self):
        self.running.append(self.fresh.popleft())

    def park(self, request):
        self.parked[request.rid] = request

    def abort(self, ids):
        left = set(ids)
        for queue in (self.fresh, self.running):
            if not left:
                break
            for request in queue:  # want "the loop over queue changes it: removes fresh"
                if request.rid not in left:
                    continue
                queue.remove(request)
                left.remove(request.rid)
        for rid in left:
            self.parked.pop(rid, None)
