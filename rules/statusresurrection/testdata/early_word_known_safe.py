"""A worker keeps the pages of a request until its reader says that it has them, or for two minutes.

Right: the worker knows a request from the step in which it runs, before anybody can read its pages,
and enters only what no reader has finished with.
"""

import time
from collections import defaultdict


class Plan:
    def __init__(self):
        self.fetch = {}
        self.keep = {}
        self.running = set()


class Worker:
    def __init__(self, line):
        self.line = line
        self.until = {}
        self.known = set()
        self.words = defaultdict(int)
        self.fetching = {}

    def begin(self, plan: Plan):
        for request, pages in plan.fetch.items():
            self.fetching[request] = self.line.fetch(request, pages)
        for request in plan.running:
            self.known.add(request)
        for request, until in plan.keep.items():
            if request in self.known:
                self.until[request] = until

    def finished(self):
        sent = set()
        for word in self.line.words():
            request, readers = word.split(":")
            if request not in self.known:
                continue
            self.words[request] += 1
            if self.words[request] == int(readers):
                sent.add(request)
                del self.words[request]
                self.known.discard(request)
                self.until.pop(request, None)
        now = time.monotonic()
        for request, until in list(self.until.items()):
            if until > now:
                break
            self.words.pop(request, None)
            del self.until[request]
            self.known.discard(request)
            sent.add(request)
        got = {r for r, ticket in self.fetching.items() if self.line.done(ticket)}
        for request in got:
            del self.fetching[request]
        return sent, got
