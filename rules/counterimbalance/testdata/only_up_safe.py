"""Failures of peers are counted until one of them succeeds.

Right: the number goes up only, and a success begins anew.
"""

from collections import defaultdict


class Failures:
    def __init__(self, link):
        self.link = link
        self.failures = defaultdict(int)

    def send(self, peer, pages):
        if self.link.write(peer, pages) != 0:
            self.failures[peer] += 1
            return False
        self.failures.pop(peer, None)
        return True
