"""Loans of pages that a peer reads, which a deadline takes back when the peer stays silent.

Right: a request begins and its pages are lent in one step, before the peer is told of it.
"""

import threading
import time


class Loans:
    def __init__(self):
        self.lock = threading.Lock()
        self.begun = set()
        self.lent = {}
        self.returned = set()

    def lend(self, rid, since):
        with self.lock:
            self.begun.add(rid)
            self.lent[rid] = since

    def receipt(self, rid):
        with self.lock:
            if rid in self.begun:
                self.returned.add(rid)
                self.begun.discard(rid)
                self.lent.pop(rid, None)

    def collect(self):
        with self.lock:
            done = self.returned.copy()
            done.update(self._overdue())
            self.returned.clear()
        return done

    def _overdue(self):
        late = set()
        while self.lent:
            rid = next(iter(self.lent))
            if time.time() - self.lent[rid] < 300:
                break
            self.lent.popitem(last=False)
            self.begun.discard(rid)
            late.add(rid)
        return late


class Counter(threading.Thread):
    def __init__(self, socket):
        super().__init__(daemon=True)
        self.socket = socket
        self.loans = Loans()

    def run(self):
        while True:
            note = self.socket.recv()
            self.loans.receipt(note.rid)


class Library:
    def __init__(self, socket):
        self.counter = Counter(socket)
        self.counter.start()

    def step(self, plan):
        for rid, since in plan.lending.items():
            self.counter.loans.lend(rid, since)

    def get_finished(self):
        return self.counter.loans.collect()
