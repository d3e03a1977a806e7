"""Requests wait in a deque, and those that are given up are taken out of it.

Racy: a deque that has changed its size ends the loop, wherever it began.
"""

from collections import deque


class Waiting:
    def __init__(self):
        self.requests = deque()

    def add(self, request):
        self.requests.append(request)

    def give_up(self, ids):
        for request in reversed(self.requests):  # want "the loop over self.requests changes it"
            if request.rid in ids:
                self.requests.remove(request)
                request.end()
