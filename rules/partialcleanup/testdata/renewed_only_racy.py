"""A connector keeps a tracker and a look-up for each request.

Wrong: a tracker gives way to a new one when the request comes again, and nothing removes the look-up.
"""


class Connector:
    def __init__(self, link):
        self.link = link
        self.trackers = {}
        self.lookups = {}

    def matched(self, request):
        number = request.number
        if number in self.trackers and self.trackers[number].stale:
            self.trackers.pop(number)
            self.trackers[number] = request
        if number not in self.trackers:
            self.trackers[number] = request
        if number not in self.lookups:
            self.lookups[number] = self.link.look_up(request.tokens)  # want "is inserted and never removed"
        return self.lookups[number].value()

    def finished(self, request):
        self.link.report(request.number)
