"""A listener collects the answers of the ranks to one message.

Right: the read that makes the entry of a late answer is in the message that removes it again.
"""

import threading
from collections import defaultdict


class Collector:
    def __init__(self, link):
        self.link = link
        self.waiting = {}
        self.answers = defaultdict(set)
        threading.Thread(target=self._listen, daemon=True).start()

    def expect(self, rid, ranks):
        self.waiting[rid] = ranks

    def _listen(self):
        while True:
            answer = self.link.receive()
            needed = self.waiting.get(answer.rid)
            if needed is None:
                continue
            self.answers[answer.rid].add(answer.rank)
            if len(self.answers[answer.rid]) == needed:
                self.link.report(answer.rid)
            if answer.last:
                self.answers.pop(answer.rid, None)
                self.waiting.pop(answer.rid, None)
