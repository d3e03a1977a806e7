"""A worker keeps the pages of a request until its reader says that it has them, or for two minutes.

Racy: the pages are entered with the plan of the next step. A reader that is told of them by the
scheduler meanwhile can be done before: its word about pages that are not entered is ignored, and
they are kept for the two minutes.
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
        self.until.update(plan.keep)  # want "stored in until even when Worker.finished has heard"

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
