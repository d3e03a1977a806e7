"""abort() and is_idle() leave out the list of requests that have ended and wait to be printed.

Right: such a request has had its answer; nothing is left to abort.
"""

import logging

log = logging.getLogger(__name__)


class Session:
    def __init__(self, start, answer):
        self.start = start
        self.answer = answer
        self.waiting = []
        self.active = {}
        self.ended = []

    def submit(self, rid):
        self.waiting.append(rid)

    def step(self):
        for rid in self.waiting:
            self.active[rid] = self.start(rid)
        self.waiting = []
        for rid, handle in list(self.active.items()):
            if handle.ended():
                del self.active[rid]
                self._end(rid, handle.state())

    def _end(self, rid, word):
        self.answer(rid, word)
        self.ended.append(rid)

    def print_ended(self):
        ended, self.ended = self.ended, []
        for rid in ended:
            log.info("request %r has ended", rid)

    def abort(self, rid):
        if rid in self.waiting:
            self.waiting.remove(rid)
            self._end(rid, "aborted")
        elif rid in self.active:
            self.active[rid].abort()

    def is_idle(self):
        return not self.waiting and not self.active
