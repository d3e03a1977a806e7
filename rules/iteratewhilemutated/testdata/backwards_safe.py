"""Requests wait in a list, and those that are given up are taken out of it.

Right: the loop begins at the end. What it takes out moves only those up that it has
looked at already.
"""


class Waiting:
    def __init__(self):
        self.requests = []

    def add(self, request):
        self.requests.append(request)

    def give_up(self, ids):
        for request in reversed(self.requests):
            if request.rid in ids:
                self.requests.remove(request)
                request.end()
