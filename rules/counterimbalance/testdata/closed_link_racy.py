"""A hook counts the reads of a request while they run.

Wrong: a link that is closed is left with the read still counted.
"""

from collections import Counter


class Reads:
    def __init__(self, link):
        self.link = link
        self.running = Counter()

    def read(self, number, pages):
        self.running[number] += 1
        if self.link.closed:  # want "running.number. is not counted down on one side"
            return None
        try:
            return self.link.read(pages)
        finally:
            self.running[number] -= 1

    def idle(self, number):
        return self.running[number] == 0
