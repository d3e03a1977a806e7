"""A scheduler keeps a request and its number from the time when it gets blocks.

Right: a request that ends before that has neither, and nothing takes them for present.
"""


class Scheduler:
    def __init__(self):
        self.requests = {}
        self.numbers = set()
        self.named = {}

    def allocated(self, request, blocks):
        self.requests[request.number] = (request, blocks)
        self.numbers.add(request.number)

    def name(self, number, name):
        self.named[number] = name

    def build(self, output):
        for number in output.finished:
            self.requests.pop(number, None)
            if number in self.numbers:
                self.numbers.remove(number)
        for number in output.renamed:
            self.requests.pop(number, None)
            del self.named[number]
        return list(self.numbers)
