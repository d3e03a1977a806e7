"""Requests wait in a list, one of them for another one.

Racy: the loop begins at the end, and takes out what it has not come to yet: it looks at
the same request a second time.
"""


class Waiting:
    def __init__(self):
        self.requests = []

    def add(self, request):
        self.requests.append(request)

    def give_up(self, ids):
        for request in reversed(self.requests):  # want "the loop over self.requests changes it"
            if request.rid in ids:
                self.requests.remove(request.parent)
                request.end()
