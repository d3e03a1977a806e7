"""A worker keeps the pages of a request until its reader says that it has them, or for two minutes.

Right: it is the worker itself that tells the readers, once the pages are entered.
"""

import time
from collections import defaultdict


class Plan:
    def __init__(self):
        self.fetch = {}
        self.keep = {}


class Worker:
    def __init__(self, line):
        self.line = line
        self.until = {}
        self.words = defaultdict(int)
        self.fetching = {}

    def begin(self, plan: Plan):
        for request, pages in plan.fetch.items():
            self.fetching[request] = self.line.fetch(request, pages)
        for request, until in plan.keep.items():
            self.until[request] = until
            self.line.offer(request)

    def finished(self):
        sent = set()
        for word in self.line.words():
            request, readers = word.split(":")
            if request not in self.until:
                continue
            self.words[request] += 1
            if self.words[request] == int(readers):
                sent.add(request)
                del self.words[request]
                del self.until[request]
        now = time.monotonic()
        for request, until in list(self.until.items()):
            if until > now:
                break
            self.words.pop(request, None)
            del self.until[request]
            sent.add(request)
        got = {r for r, ticket in self.fetching.items() if self.line.done(ticket)}
        for request in got:
            del self.fetching[request]
        return sent, got
