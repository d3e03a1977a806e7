"""A connector keeps a tracker and a look-up for each request.

Right: both go when the request ends.
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
            self.lookups[number] = self.link.look_up(request.tokens)
        return self.lookups[number].value()

    def finished(self, request):
        self.link.report(request.number)
        self.trackers.pop(request.number, None)
        self.lookups.pop(request.number, None)
