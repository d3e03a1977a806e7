"""A scheduler keeps a request and its number from the time when it gets blocks.

Wrong: a request may end before that. The one container takes that into account, the other one does not.
"""


class Scheduler:
    def __init__(self):
        self.requests = {}
        self.numbers = set()

    def allocated(self, request, blocks):
        self.requests[request.number] = (request, blocks)
        self.numbers.add(request.number)

    def build(self, output):
        for number in output.finished:
            self.requests.pop(number, None)
            self.numbers.remove(number)  # want "which is inserted with it, is removed as if it may be absent"
        return list(self.numbers)
