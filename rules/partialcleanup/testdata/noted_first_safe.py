"""A scheduler asks a cache for the pages of a prompt; the look-up pins them under the request's number.

Right: the number is noted for the worker before the look-up, whatever comes of it.
"""


class Scheduler:
    def __init__(self, cache):
        self.cache = cache
        self.specs = {}
        self.looked_up = []

    def matched(self, request):
        number = str(request.number)
        if number not in self.looked_up:
            self.looked_up.append(number)
        hit = self.cache.look_up(request.tokens, key=number)
        if not hit:
            return 0
        more = hit - request.done
        if more <= 0:
            return 0
        self.specs[number] = more
        return more

    def build(self, message):
        message.looked_up = self.looked_up
        message.specs = self.specs
        self.looked_up = []
        self.specs = {}
        return message


class Worker:
    def __init__(self, engine):
        self.engine = engine

    def start_loading(self, message):
        for number in message.looked_up:
            self.engine.unpin_look_up(number)
