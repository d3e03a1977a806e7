"""A hook counts the reads of a request while they run.

Right: a read of a link that is closed is not counted at all.
"""

from collections import Counter


class Reads:
    def __init__(self, link):
        self.link = link
        self.running = Counter()

    def read(self, number, pages):
        if self.link.closed:
            return None
        self.running[number] += 1
        try:
            return self.link.read(pages)
        finally:
            self.running[number] -= 1

    def idle(self, number):
        return self.running[number] == 0
