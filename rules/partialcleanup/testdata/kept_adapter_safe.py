"""A connector looks requests up through an adapter, which does nothing by itself.

Right: the end of a request removes its tracker and the look-up that the adapter holds.
"""


class Adapter:
    def __init__(self, link):
        self.link = link
        self.lookups = {}

    def ask(self, number, tokens):
        if number not in self.lookups:
            self.lookups[number] = self.link.want(tokens)

    def answer(self, number):
        return self.lookups[number].value()

    def forget(self, number):
        self.lookups.pop(number, None)


class Connector:
    def __init__(self, link):
        self.adapter = Adapter(link)
        self.trackers = {}

    def matched(self, request):
        self.trackers[request.number] = request
        self.adapter.ask(request.number, request.tokens)
        return self.adapter.answer(request.number)

    def allocated(self, request, count):
        if request.number in self.trackers:
            self.adapter.forget(request.number)

    def finished(self, request):
        self.trackers.pop(request.number, None)
        self.adapter.forget(request.number)
